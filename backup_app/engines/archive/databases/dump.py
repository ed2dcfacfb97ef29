"""Dumping databases into files of a backup."""

from collections.abc import Callable, Iterator
from pathlib import Path

from ....exceptions import EngineError
from ....models import Fileset
from ...shared.dumps import dump_path
from ...values import Run
from ..transport.machines import Machine
from .registry import server_of
from .server import DatabaseServer

END = 4096  # bytes of a dump that contain its last lines


def dump_members(
    run: Run, machine: Machine, fileset: Fileset, spool: Path
) -> Iterator[tuple[bytes, Path]]:
    """Yield (path in the backup, file with the dump) for each database of a fileset.

    Each file, below the folder ``spool``, is deleted when the next one is requested. Raises
    EngineError with the tool's message if a dump fails or is incomplete.
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


def write_dump(
    run: Run, server: DatabaseServer, name: str, write: Callable[[bytes], object]
) -> int:
    """Pass a dump of a database to ``write`` in blocks; return its size in bytes."""
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


def _require_file_name(name: str) -> None:
    if not name or "/" in name or not name.isprintable():
        raise EngineError(f"Database '{name}' cannot be backed up: its name is not a file name.")
