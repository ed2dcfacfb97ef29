"""Dumps of databases, as files of a backup."""

from collections.abc import Iterator
from pathlib import Path

from ....exceptions import EngineError
from ...base import Run
from ...shared.dumps import dump_path
from ..transport.machines import Machine
from .registry import server_of
from .server import DatabaseServer

END = 4096  # bytes of a dump by which is seen that it is complete


def dump_members(run: Run, machine: Machine, fileset, spool: Path) -> Iterator[tuple[bytes, Path]]:
    """Yield (path in the backup, file with the dump) for each database of a fileset.

    Each file below the folder ``spool`` is gone when the next one is asked for. Raises EngineError
    with the tool's words when a dump fails or is not complete.
    """
    databases = dict.fromkeys((one["kind"], one["name"]) for one in fileset.databases)
    for number, (kind, name) in enumerate(databases):
        _require_file_name(name)
        server = server_of(run.job.client, kind, machine)
        file = spool / f"dump-{number}.sql"
        try:
            with file.open("xb") as target:
                size = write_dump(run, server, name, target.write)
            run.info(f"Dumped the database '{name}' of {server}: {size} bytes.")
            yield dump_path(kind, name), file
        finally:
            file.unlink(missing_ok=True)


def write_dump(run: Run, server: DatabaseServer, name: str, write) -> int:
    """Hand a dump of a database to ``write``, block by block; return its length in bytes."""
    size, end = 0, b""
    with server.start_dump(name, run.tick) as process:
        while block := process.read():
            write(block)
            size += len(block)
            end = (end + block)[-END:]
        if code := process.close():
            server.refuse(name, server.dump_tools, code, process.complaint())
        if not server.is_complete(end):
            raise EngineError(
                f"The dump of database '{name}' of {server} was cut off after {size} bytes. "
                f"{process.complaint()}".rstrip()
            )
    return size


def _require_file_name(name):
    if not name or "/" in name or not name.isprintable():
        raise EngineError(f"Database '{name}' cannot be backed up: its name is no file name.")
