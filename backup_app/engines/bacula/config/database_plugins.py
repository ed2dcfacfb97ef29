"""How Bacula's plugin bpipe dumps and loads databases: the lines that filesets have for it.

A script on the client, which bpipe starts, dumps and loads. bpipe hands its lines to a shell with
the destination of a restore in them, wherever that came from: there it stands in a comment, from
which the script reads it.
"""

import re
from collections.abc import Iterator

from ....exceptions import EngineError
from ....models import Fileset
from ....models.fileset import DATABASE, KINDS
from ...shared.dumps import DUMPS, dump_path
from ..names import Bacula

LOAD = "/dev/null/load-database"  # cannot be another restore's folder
PROGRAM = re.compile(r"/[\w./-]+", re.ASCII)
DUMP = re.compile(rf"{DUMPS}/({'|'.join(KINDS)})/{DATABASE.pattern}\.sql".encode())


def is_dump(path: bytes) -> bool:
    """Return whether something in a backup is a dump that our own script made."""
    return bool(DUMP.fullmatch(path))


def plugins(engine: Bacula, fileset: Fileset) -> Iterator[str]:
    """Yield the plugin line by which each database of a fileset is dumped and restored.

    Raises EngineError for what cannot stand in it.
    """
    program = program_of(engine)
    for each in fileset.databases:
        kind, name = each["kind"], each["name"]
        if kind not in KINDS or not DATABASE.fullmatch(name):
            raise EngineError(
                f"The {kind} database '{name}' cannot be backed up: its name is not supported."
            )
        dump, load = (f"{program} {verb} {kind} '{name}'" for verb in ("dump", "load"))
        yield f"bpipe:{dump_path(kind, name).decode()}:{dump}:{load}; exit $? # %w"


def load_place(name: str) -> str:
    """Return the destination by which a dump is loaded into a database."""
    if not DATABASE.fullmatch(name):
        raise EngineError(
            f"No dump can be loaded into database '{name}': its name is not supported."
        )
    return f"{LOAD}/{name}"


def program_of(engine: Bacula) -> str:
    """Return the path of the clients' script; raises EngineError for an invalid option."""
    if not PROGRAM.fullmatch(engine.database_program):
        raise EngineError(
            f"The option 'database_program' is '{engine.database_program}', which is not an "
            "absolute path of ASCII letters, digits, '.', '_', '-' and '/'."
        )
    return engine.database_program
