"""Databases of clients: those on their servers, and their dumps in backups."""

from collections.abc import Iterable
from pathlib import Path

from ....exceptions import EngineError, Forbidden, NotFound, WrongState
from ....models import Client
from ....models.fileset import KINDS
from ..catalog.job_log import Line, failed_programs
from ..config.database_plugins import LOAD, is_dump, program_of
from ..names import Bacula
from . import commands

SCRIPT = Path(__file__).parent / "backup-databases.sh"
TITLES = {"mysql": "MySQL", "postgresql": "PostgreSQL"}


def script() -> str:
    """Return the text of the script that must be on clients with databases."""
    return SCRIPT.read_text()


def require_no_load(path: bytes) -> None:
    """Raise Forbidden for a destination of files by which dumps would be loaded."""
    if path.startswith(LOAD.encode()):
        raise Forbidden(f"'{path.decode(errors='replace')}' is not a destination for files.")


def failed_dumps(lines: Iterable[Line]) -> list[str]:
    """Return the tool's message for each failed dump of a backup, of which Bacula only warns."""
    programs = failed_programs(lines)
    return [
        words or f"The program that writes '{file}' failed."
        for file, words in programs.items()
        if is_dump(file.encode())
    ]


def require_database(engine: Bacula, client: Client, kind: str, name: str) -> None:
    """Raise WrongState unless the client's server of this kind has the database.

    Raises EngineError and EngineUnreachable when the script on the client cannot tell.
    """
    if kind not in KINDS:
        known = ", ".join(KINDS)
        raise NotFound(f"There are no databases of kind '{kind}'; there are: {known}.")
    if client.system != client.System.UNIX:
        raise WrongState(
            f"Client '{client}' is not a Unix machine: databases can be backed up on Unix only."
        )
    program = program_of(engine)
    try:
        listed = commands.run_command(engine, client, [program, "list", kind])
    except commands.NoProgramError as e:
        raise EngineError(
            f"Client '{client}' cannot start '{program}', which dumps and loads its "
            f"databases: getconfig returns it and says where to install it. {e}"
        ) from e
    if name not in listed.splitlines():
        raise WrongState(
            f"The {TITLES[kind]} server of client '{client}' has no database '{name}'."
        )
