"""Dumps that are made before a database is overwritten, in case that fails."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import zstandard

from ..base import Run
from . import storing
from .dumps import write_dump
from .servers import DatabaseServer

FOLDER = "safety"  # of a storage


@contextlib.contextmanager
def safety_dump(run: Run, server: DatabaseServer, name: str) -> Iterator[Path]:
    """Save a database below ``<storage>/safety/<client id>`` before the block is entered.

    When the block fails the file stays, and the job's log says where; otherwise it is deleted.
    """
    file = _file(run, server, name)
    _write(run, server, name, file)
    # Said beforehand, since nobody can say it if this process is killed.
    run.info(f"The database '{name}' of {server} as it is before the import: '{file}'.")
    done = False
    try:
        yield file
        done = True
    finally:
        if done:
            file.unlink()
        else:
            run.error(
                f"The import into database '{name}' of {server} failed. As it was before: "
                f"'{file}', which 'zstd -dc' turns into SQL."
            )


def _file(run, server, name):
    folder = storing.storage_folder(run.job.storage) / FOLDER / str(run.job.client_id)
    return folder / f"job-{run.job.pk}-{server.kind}-{name}.sql.zst"


def _write(run, server, name, file):
    part = storing.make_work_folder(run.job) / "safety"
    with part.open("wb") as target:
        with zstandard.ZstdCompressor().stream_writer(target, closefd=False) as compressed:
            write_dump(run, server, name, compressed.write)
        part.chmod(0o600)
        storing.sync(target)
    storing.put(part, file)
    storing.remove_work_folder(run.job)
