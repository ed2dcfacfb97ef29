"""The database, cache and mail server that a URL names, as Django's settings."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, urlsplit

import environ

from config.environment import data_folder
from config.environment.variables import wrong

POSTGRESQL = {"postgres", "postgresql"}
CACHES = {"locmemcache", "redis", "rediss", "dummycache"}
MEMORY_OPTIONS = {"MAX_ENTRIES": 1000, "MAX_BYTES": 50_000_000}
MAIL = {"smtp", "smtps", "smtp+tls", "smtp+ssl", "consolemail", "filemail", "dummymail"}

# Readers never wait for the writer. A writer takes its lock at the start of its transaction, so
# that two of them wait for each other instead of failing half-way.
SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,  # seconds
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;"
        "PRAGMA mmap_size=134217728; PRAGMA cache_size=-32000;"
    ),
}


def database(url: str, default: Path) -> dict[str, Any]:
    """Return an entry of DATABASES: for a URL, or for the SQLite file ``default`` without one."""
    if not url:
        data_folder.private_file(default)
        return _sqlite({"ENGINE": environ.Env.DB_SCHEMES["sqlite"], "NAME": str(default)})
    if _parts("DATABASE_URL", url, POSTGRESQL | {"sqlite"}).scheme in POSTGRESQL:
        return postgresql("DATABASE_URL", url)
    entry = environ.Env.db_url_config(url)
    if entry["NAME"] != ":memory:" and not Path(entry["NAME"]).absolute().parent.is_dir():
        raise wrong("DATABASE_URL", url, "is a file in a folder that does not exist")
    return _sqlite(entry)


def postgresql(
    name: str, url: str, options: Mapping[str, int] = {"connect_timeout": 5}
) -> dict[str, Any]:
    """Return an entry of DATABASES for the URL that a variable has; options are its defaults."""
    _parts(name, url, POSTGRESQL)
    entry: dict[str, Any] = environ.Env.db_url_config(url)
    if not entry["NAME"]:
        raise wrong(name, shown(url), "does not name a database")
    defaults = {"CONN_MAX_AGE": 600, "CONN_HEALTH_CHECKS": True}
    return defaults | entry | {"OPTIONS": {**options, **entry.get("OPTIONS", {})}}


def cache(url: str) -> dict[str, Any]:
    """Return the default entry of CACHES: in the process's memory without a URL."""
    scheme = _parts("CACHE_URL", url or "locmemcache://", CACHES).scheme
    entry: dict[str, Any] = environ.Env.cache_url_config(url or "locmemcache://")
    if scheme == "locmemcache":
        entry["BACKEND"] = "config.serving.caches.BoundedMemoryCache"
        entry["OPTIONS"] = MEMORY_OPTIONS | entry.get("OPTIONS", {})
    return entry


def mail(url: str) -> dict[str, Any]:
    """Return the EMAIL settings of a URL: the terminal without one."""
    _parts("EMAIL_URL", url or "consolemail://", MAIL)
    entry: dict[str, Any] = environ.Env.email_url_config(url or "consolemail://")
    return entry


def _sqlite(entry: dict[str, Any]) -> dict[str, Any]:
    return entry | {"CONN_MAX_AGE": None, "OPTIONS": SQLITE_OPTIONS | entry.get("OPTIONS", {})}


def _parts(name: str, url: str, schemes: set[str]) -> SplitResult:
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018 - is read for its ValueError
    except ValueError as e:
        raise wrong(name, shown(url), "is not a valid URL: percent-encode its password") from e
    if parts.scheme not in schemes:
        raise wrong(name, shown(url), f"does not begin with one of {', '.join(sorted(schemes))}")
    return parts


def shown(url: str) -> str:
    """Return the URL without its password."""
    return re.sub(r"(://[^:/]*):.*@", r"\1:***@", url)
