"""Finds what the ACLs of a named console keep this service from.

What only reads is tried; what would change something is looked up in the Director's file.
"""

import json
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from ....exceptions import EngineError, EngineUnreachable
from ..director.console import NotPermitted
from ..director.director import Director
from ..names import Bacula

READING = (
    *(".bvfs_cleanup", ".bvfs_get_bootstrap", ".bvfs_restore", ".bvfs_update"),
    *(".catalogs", ".clients", ".defaults", ".filesets", ".jobs", ".pools", ".schedule"),
    *(".status dir header", ".storage", "show", "status schedule days=1", "version"),
)
# Only for what this service adds to the Director's configuration.
CHANGING = (
    *(".bvfs_get_jobids", ".sql", "cancel", "delete", "purge", "reload", "restore", "run"),
    *("truncate", "update"),
)
# By their names in what bdirjson writes.
LISTS = {
    "CatalogAcl": "CatalogACL",
    "ClientAcl": "ClientACL",
    "FilesetAcl": "FileSetACL",
    "JobAcl": "JobACL",
    "PoolAcl": "PoolACL",
    "ScheduleAcl": "ScheduleACL",
    "StorageAcl": "StorageACL",
    "WhereAcl": "WhereACL",
}
COMMANDS = "CommandAcl"
ALL = ["*all*"]  # nothing else may be in the list


class _Unreadable(EngineError):
    """The Director's file cannot be looked into."""


def missing(engine: Bacula, director: Director) -> Iterator[str]:
    """Yield a sentence for each list of the console that has too little; raises EngineError."""
    if not engine.console:
        return  # the default console may do everything
    director.console.open()
    lacking = [command.split()[0] for command in READING if not _may(director, command)]
    try:
        acls = _acls(engine) if engine.config_dir else dict.fromkeys((*LISTS, COMMANDS), ALL)
    except _Unreadable as e:
        yield str(e)
        return
    allowed = acls.get(COMMANDS, [])
    if allowed != ALL:
        lacking += [command for command in CHANGING if command not in allowed]
    if lacking:
        yield (
            f"The console '{engine.console}' may not use {_and(lacking)}: add this to its"
            " CommandACL."
        )
    narrow = [name for key, name in LISTS.items() if acls.get(key) != ALL]
    if narrow:
        yield (
            f"The console '{engine.console}' does not see all that this service adds: set its"
            f" {_and(narrow)} to *all*."
        )


def _may(director: Director, command: str) -> bool:
    try:
        director.ask(command)
    except EngineUnreachable:
        raise
    except NotPermitted:
        return False
    except EngineError:
        pass  # it lacks arguments
    return True


def _acls(engine: Bacula) -> dict[str, list[str]]:
    """Return the lists of the console in the Director's file."""
    program = Path(engine.director_program).with_name("bdirjson")
    try:
        done = subprocess.run(  # noqa: S603
            [program, "-c", engine.director_config, "-r", "Console", "-n", engine.console],
            capture_output=True,
            timeout=engine.answer_seconds,
            check=True,
        )
        found = json.loads(done.stdout)
    except (OSError, subprocess.SubprocessError, ValueError) as e:
        raise _Unreadable(
            f"What the console '{engine.console}' may change could not be read by '{program}' from"
            f" '{engine.director_config}': {type(e).__name__}."
        ) from e
    lists = {key: value for key, value in found.items() if isinstance(value, list)}
    return {key: [word.lower() for word in words] for key, words in lists.items()}


def _and(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
