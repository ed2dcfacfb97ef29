"""Dumps that are made before a database is overwritten, in case that fails."""

import contextlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import zstandard

from ....exceptions import EngineError
from ....models import Job
from ...base import Problem, Run
from ...shared.durable import sync
from ..storage import layout
from ..storage.labels import storage_folder
from .dump import write_dump
from .server import DatabaseServer

FOLDER = "safety"  # of a storage
NAME = re.compile(r"job-(\d+)-.+\.sql\.zst")


@contextlib.contextmanager
def safety_dump(run: Run, server: DatabaseServer, name: str) -> Iterator[Path]:
    """Save a database below ``<storage>/safety/<client id>`` before the block is entered.

    When the block fails the file stays as long as the job, whose log says where; otherwise it is
    deleted.
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


def forget(job: Job) -> None:
    """Delete the dumps of a job that is to be deleted; raises EngineError if they stay."""
    if job.storage is None:
        return
    folder = _folder(job)
    try:
        for file in folder.glob(f"job-{job.pk}-*"):
            file.unlink(missing_ok=True)
    except OSError as e:
        raise EngineError(f"A dump in '{folder}' cannot be deleted: {e.strerror}.") from e
    with contextlib.suppress(OSError):  # it is not there, or has those of other jobs
        folder.rmdir()


def orphans(files: Iterable[Path], *, delete: bool) -> Iterator[Problem]:
    """Yield the dumps that no job has, of those in a storage; with ``delete`` remove them."""
    for file in files:
        match = NAME.fullmatch(file.name)
        job_id = int(match[1]) if match else None
        if match and _has_job(file, job_id):
            continue
        yield Problem(str(file), "No job has this dump of a database.", job_id)
        if match and delete:
            file.unlink(missing_ok=True)


def _has_job(file, job_id):
    jobs = Job.objects.filter(pk=job_id, type=Job.Type.RESTORE)
    return str(jobs.values_list("client", flat=True).first()) == file.parent.name


def _folder(job):
    return storage_folder(job.storage) / FOLDER / str(job.client_id)


def _file(run, server, name):
    return _folder(run.job) / f"job-{run.job.pk}-{server.kind}-{name}.sql.zst"


def _write(run, server, name, file):
    part = layout.make_work_folder(run.job) / "safety"
    with part.open("wb") as target:
        with zstandard.ZstdCompressor().stream_writer(target, closefd=False) as compressed:
            write_dump(run, server, name, compressed.write)
        part.chmod(0o600)
        sync(target)
    layout.put(part, file)
    layout.remove_work_folder(run.job)
