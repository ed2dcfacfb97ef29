"""Dumps of databases from before a load, in case that fails."""

import contextlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import zstandard

from ....exceptions import EngineError
from ....models import Job
from ...shared.durable import sync
from ...shared.job_parts import storage_of
from ...values import Problem, Run
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
    # Logged beforehand: a killed process cannot log it afterwards.
    run.info(f"Saved the current database '{name}' of {server} to '{file}'.")
    done = False
    try:
        yield file
        done = True
    finally:
        if done:
            file.unlink()
        else:
            run.error(
                f"Loading the database '{name}' of {server} failed. Its former content is in"
                f" '{file}'; 'zstd -dc' prints it as SQL."
            )


def forget(job: Job) -> None:
    """Delete the dumps of a job that is to be deleted; raises EngineError if it cannot."""
    folder = _folder(job)
    try:
        for file in folder.glob(f"job-{job.pk}-*"):
            file.unlink(missing_ok=True)
    except OSError as e:
        raise EngineError(f"A dump in '{folder}' cannot be deleted: {e.strerror}.") from e
    with contextlib.suppress(OSError):  # missing, or with the dumps of other jobs
        folder.rmdir()


def orphans(files: Iterable[Path], *, delete: bool) -> Iterator[Problem]:
    """Yield those of a storage's dumps that belong to no job; with ``delete`` remove them."""
    for file in files:
        match = NAME.fullmatch(file.name)
        job_id = int(match[1]) if match else None
        if job_id and _has_job(file, job_id):
            continue
        yield Problem(str(file), "This dump of a database belongs to no job.", job_id)
        if match and delete:
            file.unlink(missing_ok=True)


def _has_job(file: Path, job_id: int) -> bool:
    jobs = Job.objects.filter(pk=job_id, type=Job.Type.RESTORE)
    return str(jobs.values_list("client", flat=True).first()) == file.parent.name


def _folder(job: Job) -> Path:
    return storage_folder(storage_of(job)) / FOLDER / str(job.client_id)


def _file(run: Run, server: DatabaseServer, name: str) -> Path:
    return _folder(run.job) / f"job-{run.job.pk}-{server.kind}-{name}.sql.zst"


def _write(run: Run, server: DatabaseServer, name: str, file: Path) -> None:
    part = layout.make_work_folder(run.job) / "safety"
    with part.open("wb") as target:
        with zstandard.ZstdCompressor().stream_writer(target, closefd=False) as compressed:
            write_dump(run, server, name, compressed.write)
        part.chmod(0o600)
        sync(target)
    layout.put(part, file)
    layout.remove_work_folder(run.job)
