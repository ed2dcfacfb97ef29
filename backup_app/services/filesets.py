"""What can be done with filesets: to save one, and what may be in it."""

import re
from posixpath import normpath

from django.utils import timezone

from ..exceptions import Invalid
from ..lib import cron
from ..models import Client, Fileset
from ..models.fileset import DATABASE, KINDS
from . import names
from .adopted import require_as_kept

ABSOLUTE = re.compile(r"/|[A-Za-z]:[/\\]")
LONGEST = 4096
MOST_FOLDERS = 1000  # each of which is listed by a program of its own, and compared with all others
MOST_BYTES = 60_000  # of all patterns: they are words of one command line, which Linux limits
COMPRESSION = range(1, 20)
CONTENT = ("include", "databases")  # of which a fileset needs some

# What every unix machine has, and what is not made again from its packages.
DEFAULTS = {
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


def save(account, name: str, **values) -> Fileset:
    """Create a fileset, or change what is given of the account's fileset with this name.

    values: ``include`` (``{"path"}`` or paths), ``exclude``, ``options`` (those that are not given
    stay), ``databases``, ``verify``, ``schedule``. Raises Invalid, and WrongState where the engine
    keeps what is to be changed.
    """
    name = names.cleaned(name, "fileset")
    values = cleaned(values)
    known = Fileset.objects.filter(account=account, name=name).first() or Fileset()
    if "options" in values:
        values["options"] = known.options | values["options"]
    require_as_kept(known, values)
    if not known.is_adopted:  # of which we may not be able to show all
        include, databases = (values.get(key, getattr(known, key)) for key in CONTENT)
        require_content(name, include, databases)
    return Fileset.objects.update_or_create(account=account, name=name, defaults=values)[0]


def require_content(name: str, include: list, databases: list) -> None:
    """Raise Invalid for a fileset of nothing."""
    if not (include or databases):
        raise Invalid({"include": [f"Fileset '{name}' needs a folder or a database to back up."]})


def default(account, system: str) -> Fileset:
    """Return the fileset for clients that were given none; makes it when there is none."""
    values = DEFAULTS[system]
    known = Fileset.objects.filter(account=account, name=values["name"]).first()
    return known or save(account, **values)


def cleaned(values: dict) -> dict:
    """Return the values of a fileset as they are stored; raises Invalid for all that are wrong."""
    clean, wrong = {}, {}
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
    if len(expression) > 100:
        raise ValueError("A schedule has at most 100 characters.")
    if expression:
        cron.next_time(expression, timezone.now())
    return expression


def database(kind: str, name: str) -> dict[str, str]:
    """Return a database as filesets hold it; raises ValueError with a sentence."""
    if kind not in KINDS:
        raise ValueError(
            f"There is no kind '{kind}' of databases: there are {' and '.join(KINDS)}."
        )
    if not DATABASE.fullmatch(name):
        raise ValueError(
            f"'{name}' is no name of a database: up to 63 ASCII letters, digits, '_', '-' and '$'."
        )
    return {"kind": kind, "name": name}


def folder(path: str) -> str:
    """Return an absolute path without empty and ``.`` parts; raises ValueError."""
    if not ABSOLUTE.match(path):
        raise ValueError(f"'{path}' is not an absolute path.")
    if "\0" in path or ".." in re.split(r"[/\\]", path):
        raise ValueError(f"'{path}' contains '..' or a NUL.")
    if len(path.encode()) > LONGEST:
        raise ValueError(f"A path has at most {LONGEST} bytes.")
    return normpath(f"/{path.lstrip('/')}") if path.startswith("/") else path


def _include(folders):
    paths = [each["path"] if isinstance(each, dict) else each for each in folders]
    folders = _several(folder(path) for path in paths)
    if len(folders) > MOST_FOLDERS:
        raise ValueError(f"There are {len(folders)} folders, more than {MOST_FOLDERS}.")
    return [{"path": path} for path in folders]


def _exclude(patterns):
    return _several(_pattern(pattern) for pattern in patterns)


def _pattern(pattern):
    if not pattern.strip() or "\0" in pattern:
        raise ValueError("A pattern may not be empty or contain a NUL.")
    if len(pattern.encode()) > LONGEST:
        raise ValueError(f"A pattern has at most {LONGEST} bytes.")
    return pattern


def _options(options):
    given = {key: options[key] for key in ("one_filesystem", "compression") if key in options}
    level = given.get("compression", COMPRESSION[0])
    if type(level) is not int or level not in COMPRESSION:
        raise ValueError(f"The compression is {level!r}, and not a whole number from 1 to 19.")
    if type(given.get("one_filesystem", True)) is not bool:
        raise ValueError(
            f"'one_filesystem' is {given['one_filesystem']!r}, neither true nor false."
        )
    return given


def _databases(databases):
    return _several(database(each["kind"], each["name"]) for each in databases)


def _several(values):
    """Return a list without what is in it twice; raises ValueError for one that is too long."""
    found = list({repr(value): value for value in values}.values())
    size = sum(len(value.encode()) for value in found if isinstance(value, str))
    if size > MOST_BYTES:
        raise ValueError(f"They have {size} bytes together, more than {MOST_BYTES}.")
    return found


RULES = {
    "include": _include,
    "exclude": _exclude,
    "options": _options,
    "databases": _databases,
    "verify": bool,
    "schedule": schedule,
}
