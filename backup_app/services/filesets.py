"""Saving filesets, and the rules for their content."""

import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from posixpath import normpath
from typing import Any, TypeVar

from django.utils import timezone

from ..engines import get_engine
from ..exceptions import Invalid, InvalidEngine
from ..lib import cron
from ..models import Client, Fileset, Zone
from ..models.fileset import DATABASE, KINDS
from .rules import names
from .rules.locked_fields import require_unchanged

T = TypeVar("T")
ABSOLUTE = re.compile(r"/|[A-Za-z]:[/\\]")
MAX_PATH = 4096  # bytes; PATH_MAX of Linux
MAX_FOLDERS = 1000  # each is scanned by its own process, and compared with all others
MAX_BYTES = 60_000  # of all patterns, which form one command line, whose length Linux limits
COMPRESSION = range(1, 20)
CONTENT = ("include", "databases")  # a fileset needs at least one of them

# Data and settings; programs can be reinstalled.
DEFAULTS: dict[str, dict[str, Any]] = {
    Client.System.UNIX: {
        "name": "default",
        "include": ["/etc", "/home", "/opt", "/root", "/srv", "/usr/local", "/var"],
        "exclude": ["/home/*/.cache", "/root/.cache", "/var/cache", "/var/tmp"],  # noqa: S108
    },
    Client.System.WINDOWS: {
        "name": "default-windows",
        "include": ["C:/Users", "C:/ProgramData"],
        "exclude": [],
    },
}


def save(account: Any, name: str, **values: Any) -> Fileset:
    """Create a fileset, or change the given values of the account's fileset with this name.

    values: ``include`` (paths or ``{"path"}``), ``exclude``, ``options`` (omitted ones stay),
    ``databases``, ``verify``, ``schedule``. Raises Invalid, and WrongState for a value that only
    the engine can change.
    """
    name = names.cleaned(name, "fileset")
    values = cleaned(values)
    known = Fileset.objects.filter(account=account, name=name).first() or Fileset()
    if "options" in values:
        values["options"] = known.options | values["options"]
    require_unchanged(known, values)
    if not known.is_adopted:  # an adopted one may contain what we cannot represent
        include, databases = (values.get(key, getattr(known, key)) for key in CONTENT)
        require_content(name, include, databases)
        exclude = values.get("exclude", known.exclude)
        require_expressible(account, Fileset(include=include, exclude=exclude))
    return Fileset.objects.update_or_create(account=account, name=name, defaults=values)[0]


def require_content(name: str, include: list[Any], databases: list[Any]) -> None:
    """Raise Invalid for an empty fileset."""
    if not (include or databases):
        raise Invalid({"include": [f"Fileset '{name}' needs a folder or a database to back up."]})


def require_expressible(account: Any, fileset: Fileset) -> None:
    """Raise Invalid for what an engine that backs up clients of the account cannot do."""
    zones = Zone.objects.filter(clients__account=account, clients__deleted=None)
    for alias in zones.order_by().values_list("engine", flat=True).distinct():
        with suppress(InvalidEngine):  # the system checks report it
            get_engine(alias).require_expressible(fileset)


def default(account: Any, system: str) -> Fileset:
    """Return the fileset of clients for which none is named; creates it if needed."""
    values = DEFAULTS[system]
    known = Fileset.objects.filter(account=account, name=values["name"]).first()
    return known or save(account, **values)


def cleaned(values: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a fileset as they are stored; raises Invalid naming each wrong one."""
    clean: dict[str, Any] = {}
    wrong: dict[str, list[str]] = {}
    for key, value in values.items():
        try:
            clean[key] = RULES[key](value)
        except ValueError as e:
            wrong[key] = [str(e)]
    if wrong:
        raise Invalid(wrong)
    return clean


def schedule(expression: str) -> str:
    """Return a cron expression, or ""; raises ValueError with a sentence."""
    expression = " ".join(expression.split())
    if expression:
        cron.next_time(expression, timezone.now())
    return expression


def database(kind: str, name: str) -> dict[str, str]:
    """Return a database as filesets hold it; raises ValueError with a sentence."""
    if kind not in KINDS:
        raise ValueError(f"Unknown kind of database '{kind}': it must be {' or '.join(KINDS)}.")
    if not DATABASE.fullmatch(name):
        raise ValueError(
            f"'{name}' cannot name a database: up to 63 ASCII letters, digits, '_', '-' and '$'."
        )
    return {"kind": kind, "name": name}


def folder(path: str) -> str:
    """Return an absolute path without empty and ``.`` parts; raises ValueError."""
    if not ABSOLUTE.match(path):
        raise ValueError(f"'{path}' is not an absolute path.")
    if "\0" in path or ".." in re.split(r"[/\\]", path):
        raise ValueError(f"'{path}' contains '..' or a NUL.")
    if len(path.encode()) > MAX_PATH:
        raise ValueError(f"A path has at most {MAX_PATH} bytes.")
    return normpath(f"/{path.lstrip('/')}") if path.startswith("/") else path


def _include(folders: Iterable[Any]) -> list[dict[str, str]]:
    paths = [each["path"] if isinstance(each, dict) else each for each in folders]
    found = _several(folder(path) for path in paths)
    if len(found) > MAX_FOLDERS:
        raise ValueError(f"There are {len(found)} folders, more than {MAX_FOLDERS}.")
    return [{"path": path} for path in found]


def _exclude(patterns: Iterable[str]) -> list[str]:
    return _several(_pattern(pattern) for pattern in patterns)


def _pattern(pattern: str) -> str:
    if not pattern.strip() or "\0" in pattern:
        raise ValueError("A pattern must not be empty or contain a NUL.")
    if len(pattern.encode()) > MAX_PATH:
        raise ValueError(f"A pattern has at most {MAX_PATH} bytes.")
    return pattern


def _options(options: dict[str, Any]) -> dict[str, Any]:
    keys = "one_filesystem", "compression"
    given = {key: options[key] for key in keys if key in options}
    level = given.get("compression", COMPRESSION[0])
    if type(level) is not int or level not in COMPRESSION:
        raise ValueError(f"The compression is {level!r}: it must be a whole number from 1 to 19.")
    return given


def _databases(databases: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    return _several(database(each["kind"], each["name"]) for each in databases)


def _several(values: Iterable[T]) -> list[T]:
    """Return the values without duplicates; raises ValueError if they are too long together."""
    found = list({repr(value): value for value in values}.values())
    size = sum(len(value.encode()) for value in found if isinstance(value, str))
    if size > MAX_BYTES:
        raise ValueError(f"Together they have {size} bytes, more than {MAX_BYTES}.")
    return found


RULES: dict[str, Callable[[Any], Any]] = {
    "include": _include,
    "exclude": _exclude,
    "options": _options,
    "databases": _databases,
    "verify": bool,
    "schedule": schedule,
}
