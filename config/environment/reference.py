"""docs/settings.md, made from the defaults of the settings and the comments on them.

``manage.py settings_page`` writes it.
"""

import ast
import io
import tokenize
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from backup_app import conf as backup_conf
from calendar_app import conf as calendar_conf
from config.environment import bacula

INTRODUCTION = """\
# Settings

Settings are environment variables, or lines of a file `.env` beside `manage.py`
([.env.example](../.env.example) is a starting point). All of them have a safe default. A wrong
value stops the start with a sentence, and so does an unknown name in the file. In the environment,
an unknown name stops the start only if it looks like a mistyped setting; otherwise a warning names
it.

`manage.py settings_page` writes this page.
"""
# In another project the settings of the two apps are variables of the same names in settings.py.
TABLES: dict[str, tuple[str, ModuleType]] = {
    "The calendar": ("CALENDAR_", calendar_conf),
    "The backup service": ("BACKUP_", backup_conf),
    "[Bacula](bacula.md)": (bacula.PREFIX, bacula),
}
NOTES = {
    "The calendar": "In [a project of your own](projects.md) they are settings of the same name.",
    "The backup service": "In [a project of your own](projects.md) they are settings of the same"
    " name; `BACKUP_ENGINES` declares engines there as `CACHES` does caches.",
    "[Bacula](bacula.md)": f"With `{bacula.URL}` set, such as"
    " `postgres://user:password@host:5432/bacula`, zones can use the engine `bacula`. The service"
    " only reads that database.",
}
# Name, default, meaning.
PROJECT = """\
PORT | `8000` | where `serve` listens
HOST | `127.0.0.1` | the address that it listens on
DATA_DIR | `var` | the folder of database, images and keys
ENV_FILE | `.env` | the file that settings are read from
PRODUCTION | `false` | refuse to start without `SECRET_KEY` and `ALLOWED_HOSTS`; require HTTPS
SECRET_KEY | random, kept in `DATA_DIR` | signs sessions; 50 characters or more
ALLOWED_HOSTS | this machine's own names | host names that the site serves, comma-separated
DEBUG | `false` | show details of errors in the browser; never in production
HTTPS | as `PRODUCTION` | redirect to HTTPS and restrict cookies to it
HSTS_SECONDS | 30 days with HTTPS | how long browsers insist on HTTPS
BEHIND_PROXY | `false` | trust the proxy's `X-Forwarded-Proto`, `X-Forwarded-For` and `X-Request-ID`
CSRF_TRUSTED_ORIGINS | none | other origins whose forms are accepted, as `https://example.org`
CORS_ALLOWED_ORIGINS | every origin | sites whose pages may use the calendar API
BASE_PATH | none | a path that everything is below, such as `apps`
TIME_ZONE | `UTC` | the zone of the site and of events that name none
DATABASE_URL | SQLite in `DATA_DIR` | `postgres://user:password@host:5432/name` or `sqlite:///file`
DATABASE_REPLICA_URLS | none | [read replicas](deployment.md#read-replicas) of a PostgreSQL in \
`DATABASE_URL`, comma-separated
CACHE_URL | the process's memory | `redis://host:6379/0`
EMAIL_URL | the terminal | `smtp+tls://user:password@host:587`
DEFAULT_FROM_EMAIL | `calendar@localhost` | the sender of mails
LOG_LEVEL | `INFO` | `DEBUG`, `INFO`, `WARNING` or `ERROR`
LOG_FORMAT | `text` | `text`, or `json` for one JSON object a line
"""


@dataclass(frozen=True)
class Setting:
    name: str
    default: str
    meaning: str


def page() -> str:
    """Return the whole page; raises ValueError for a setting without a comment."""
    parts = [INTRODUCTION, _table(project_settings())]
    for title, (prefix, module) in TABLES.items():
        parts += [f"## {title}\n\n{NOTES[title]}\n", _table(app_settings(prefix, module))]
    return "\n".join(parts)


def project_settings() -> list[Setting]:
    """Return the settings that are the project's own."""
    return [Setting(*line.split(" | ")) for line in PROJECT.splitlines()]


def app_settings(prefix: str, module: ModuleType) -> list[Setting]:
    """Return the settings of a module's ``DEFAULTS``, described by the comments there."""
    meanings = dict(_comments(Path(str(module.__file__)).read_text()))
    defaults: Mapping[str, Any] = module.DEFAULTS
    if lacking := [name for name in defaults if not meanings.get(name)]:
        raise ValueError(f"{prefix}{lacking[0]} has no comment in {module.__file__}.")
    return [
        Setting(f"{prefix}{name}", _shown(value), meanings[name])
        for name, value in defaults.items()
    ]


def _table(settings: list[Setting]) -> str:
    rows = [f"| `{each.name}` | {each.default} | {each.meaning} |" for each in settings]
    return "\n".join(["| Variable | Default | Meaning |", "|---|---|---|", *rows, ""])


def _shown(value: object) -> str:
    if value == "":
        return "none"
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"`{text}`".replace("|", r"\|")


def _comments(source: str) -> Iterator[tuple[str, str]]:
    """Yield each key of ``DEFAULTS`` with the comments above and behind it."""
    above, behind = _lines_of_comments(source)
    for key, value in _items(source):
        first = key.lineno
        while first - 1 in above:
            first -= 1
        words = [above[line] for line in range(first, key.lineno)]
        words.append(behind.get(value.end_lineno or 0, ""))
        yield str(key.value), " ".join(filter(None, words))


def _items(source: str) -> Iterator[tuple[ast.Constant, ast.expr]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.AnnAssign) and ast.unparse(node.target) == "DEFAULTS":
            assert isinstance(node.value, ast.Dict)  # noqa: S101
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                assert isinstance(key, ast.Constant)  # noqa: S101
                yield key, value


def _lines_of_comments(source: str) -> tuple[dict[int, str], dict[int, str]]:
    """Return the comments that have a line of their own, and the others, by their lines."""
    above: dict[int, str] = {}
    behind: dict[int, str] = {}
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            alone = token.line.lstrip().startswith("#")
            (above if alone else behind)[token.start[0]] = token.string.lstrip("# ")
    return above, behind
