"""Databases of clients: what a fileset says of them to Bacula, and what a restore does.

A script on the client, which Bacula's plugin bpipe starts, dumps and loads. bpipe hands its lines
to a shell with the place of a restore in them, wherever that came from: there it stands in a
comment, from which the script reads it.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from ....exceptions import EngineError, Forbidden, NotFound, WrongState
from ....models.fileset import DATABASE, KINDS
from ...base import Selection
from ..catalog.job_log import Line, failed_programs
from . import commands

SCRIPT = Path(__file__).parent / "backup-databases.sh"
FOLDER = "/.databases"
LOAD = "/dev/null/load-database"  # no folder, so that no other restore has it as its place
TITLES = {"mysql": "MySQL", "postgresql": "PostgreSQL"}
PROGRAM = re.compile(r"/[\w./-]+", re.ASCII)
DUMP = re.compile(rf"{FOLDER}/({'|'.join(KINDS)})/{DATABASE.pattern}\.sql".encode())


def script() -> str:
    """Return the text of the script that must be on clients with databases."""
    return SCRIPT.read_text()


def dump_path(kind: str, name: str) -> bytes:
    """Return where a backup has the dump of a database."""
    return f"{FOLDER}/{kind}/{name}.sql".encode()


def is_dump(path: bytes) -> bool:
    """Say whether something in a backup is a dump that our own script made."""
    return bool(DUMP.fullmatch(path))


def plugins(engine, fileset) -> Iterator[str]:
    """Yield the plugin line by which each database of a fileset is dumped and restored.

    Raises EngineError for what cannot stand in it.
    """
    program = _program(engine)
    for each in fileset.databases:
        kind, name = each["kind"], each["name"]
        if kind not in KINDS or not DATABASE.fullmatch(name):
            raise EngineError(f"The {kind} database '{name}' cannot be backed up by its name.")
        dump, load = (f"{program} {verb} {kind} '{name}'" for verb in ("dump", "load"))
        yield f"bpipe:{FOLDER}/{kind}/{name}.sql:{dump}:{load}; exit $? # %w"


def load_place(name: str) -> str:
    """Return the place to which a dump is restored that is to be loaded into a database."""
    if not DATABASE.fullmatch(name):
        raise EngineError(f"No dump can be loaded into database '{name}' by its name.")
    return f"{LOAD}/{name}"


def require_no_load(path: bytes) -> None:
    """Raise Forbidden for a destination of files by which dumps would be loaded."""
    if path.startswith(LOAD.encode()):
        raise Forbidden(f"'{path.decode(errors='replace')}' is no destination for files.")


def failed_dumps(lines: Iterable[Line]) -> list[str]:
    """Return in its tool's words each dump of a backup that failed, of which Bacula only warns."""
    programs = failed_programs(lines)
    return [
        words or f"The program that writes '{file}' failed."
        for file, words in programs.items()
        if is_dump(file.encode())
    ]


def require_database(engine, client, kind: str, name: str) -> None:
    """Raise WrongState unless the client's server of this kind has the database.

    Raises EngineError and EngineUnreachable when the script on the client cannot tell.
    """
    if kind not in KINDS:
        known = ", ".join(KINDS)
        raise NotFound(f"There are no databases of kind '{kind}'; there are: {known}.")
    if client.system != client.System.UNIX:
        raise WrongState(f"Client '{client}' is no unix machine, as databases need.")
    program = _program(engine)
    try:
        listed = commands.run_command(engine, client, [program, "list", kind])
    except commands.NoProgramError as e:
        raise EngineError(
            f"Client '{client}' cannot start '{program}', by which its databases are dumped and "
            f"loaded: its getconfig has that, and says where it belongs. {e}"
        ) from e
    if name not in listed.splitlines():
        raise WrongState(
            f"The {TITLES[kind]} server of client '{client}' has no database '{name}'."
        )


def find_dump(engine, job, name: str, kind: str) -> Selection:
    """Return the dump of a database in the view of a backup; raises NotFound."""
    try:
        return engine.select_paths(job, [dump_path(kind, name)])
    except NotFound as e:
        raise NotFound(f"Backup {job.pk} has no dump of the {kind} database '{name}'.") from e


def _program(engine):
    if not PROGRAM.fullmatch(engine.database_program):
        raise EngineError(
            f"The option 'database_program' is '{engine.database_program}', and not a path of "
            "ASCII letters, digits, '.', '_', '-' and '/'."
        )
    return engine.database_program
