"""The settings of a Bacula: its catalog as a database, its Director as an engine.

With ``BACULA_CATALOG_URL`` there is one, the engine "bacula" for zones; the other variables are
that engine's OPTIONS, in capitals.
"""

import re
from typing import Any

from django.core.exceptions import ImproperlyConfigured

from config.environment import services
from config.environment.variables import Environment, wrong

Values = dict[str, bool | int | str]
ALIAS = "bacula"
PREFIX = "BACULA_"
URL = f"{PREFIX}CATALOG_URL"
BACKEND = "backup_app.engines.bacula.BaculaEngine"
# A comment is the setting's description in docs/settings.md.
DEFAULTS: Values = {
    "ADDRESS": "127.0.0.1",  # where the Director is
    "PORT": 9101,  # port of its console
    "DIRECTOR": "bacula-dir",  # the Director's name, used in clients' configurations
    "CONSOLE": "",  # name of a named console; by default the default one
    "PASSWORD": "",  # the console's; needed
    # whether a Director that offers no TLS is refused: `required` or `optional`; by default one on
    # another host is
    "TLS": "",
    # file of the authority that signed the Director's certificate, which is then required
    "TLS_CA": "",
    "TLS_CERTIFICATE": "",  # this service's certificate, if the Director verifies it
    "TLS_KEY": "",  # the key of that, if it is in another file
    "TLS_NAME": "",  # the name in the Director's certificate; by default its address
    # folder, included by the Director, for the resources that this service adds; without it nothing
    # is added
    "CONFIG_DIR": "",
    "DIRECTOR_CONFIG": "/etc/bacula/bacula-dir.conf",  # the Director's file
    "DIRECTOR_PROGRAM": "/usr/sbin/bacula-dir",  # program that tests that file
    "STORAGES": "",  # a TOML file of storage daemons to add
    "EXTRACT_PROGRAM": "/usr/sbin/bextract",  # program that reads volumes for downloads
    # for downloads of volumes on this host: the storage daemon's file
    "STORAGE_CONFIG": "",
    # for downloads of volumes on another host: the file daemon that they are restored to
    "SPOOL_CLIENT": "",
    "DATABASE_PROGRAM": "/usr/local/sbin/backup-databases",  # on clients, to dump databases
    "PREFIX": "bk-",  # how all names that this service adds begin
    "TIME_ZONE": "",  # zone of the Director's host; by default that of `TIME_ZONE`
    "ANSWER_SECONDS": 30,  # how long an answer may take
    "AWAY_SECONDS": 900,  # how long jobs wait for an unreachable Director
    # whether the Director starts scheduled backups itself, so that they run while this service is
    # down
    "SCHEDULES": False,
}
ANY = ".*", ""
PATH = "/.+", "is not an absolute path"
NUMBER = "[1-9][0-9]*", "is not a whole number of 1 or more"
NAME = r"[\w:. -]{1,127}", "is not a name that Bacula accepts: use letters, digits, spaces and -_.:"
FORMS = {
    "PORT": ("[1-9][0-9]{0,4}", "is not a port number"),
    "DIRECTOR": NAME,
    "CONSOLE": NAME,
    "TLS": ("required|optional", "is neither 'required' nor 'optional'"),
    "TLS_CA": PATH,
    "TLS_CERTIFICATE": PATH,
    "TLS_KEY": PATH,
    "SPOOL_CLIENT": NAME,
    "PREFIX": (r"[A-Za-z][\w-]{0,30}", "is not a letter followed by letters, digits, - and _"),
    "CONFIG_DIR": PATH,
    "DIRECTOR_CONFIG": PATH,
    "DIRECTOR_PROGRAM": PATH,
    "STORAGES": PATH,
    "EXTRACT_PROGRAM": PATH,
    "STORAGE_CONFIG": PATH,
    "DATABASE_PROGRAM": PATH,
    "ANSWER_SECONDS": NUMBER,
    "AWAY_SECONDS": NUMBER,
}
# The service reads the catalog and writes nothing there, whatever its role may.
READ_ONLY = "-c default_transaction_read_only=on"


class Router:
    """Keeps migrations away from the catalog, whose tables are Bacula's."""

    def allow_migrate(self, db: str, app_label: str, **hints: Any) -> bool | None:
        return False if db == ALIAS else None


def settings(
    env: Environment, databases: dict[str, Any], engines: dict[str, Any]
) -> dict[str, Any]:
    """Return the settings with a Bacula added, unless there is none.

    Raises ``ImproperlyConfigured`` for a variable that is not known, missing or wrong.
    """
    given = env.group(PREFIX, {"CATALOG_URL": "", **DEFAULTS})
    url = given.pop(URL, "")
    if not url:
        _require_none(given)
        return {}
    _require_right(env, given)
    options = {name.removeprefix(PREFIX).lower(): value for name, value in given.items()}
    return {
        "DATABASES": databases | {ALIAS: catalog(str(url))},
        "DATABASE_ROUTERS": [f"{__name__}.{Router.__name__}"],
        "BACKUP_ENGINES": engines | {ALIAS: {"BACKEND": BACKEND, "OPTIONS": options}},
    }


def catalog(url: str) -> dict[str, Any]:
    """Return the entry of DATABASES for the URL of a catalog."""
    entry = services.postgresql(URL, url)
    words = [READ_ONLY, entry["OPTIONS"].get("options", "")]
    return entry | {"OPTIONS": entry["OPTIONS"] | {"options": " ".join(filter(None, words))}}


def _require_none(given: Values) -> None:
    for name in sorted(given):
        raise ImproperlyConfigured(f"{name} is set, but {URL} is not: there is no Bacula to use.")


def _require_right(env: Environment, given: Values) -> None:
    if f"{PREFIX}PASSWORD" not in given:
        raise ImproperlyConfigured(f"{PREFIX}PASSWORD is not set, and the Director requires it.")
    for name, value in given.items():
        form, why = FORMS.get(name.removeprefix(PREFIX), ANY)
        if not re.fullmatch(form, str(value)):
            raise wrong(name, str(value), why)
    if f"{PREFIX}TIME_ZONE" in given:
        env.zone(f"{PREFIX}TIME_ZONE", "")
