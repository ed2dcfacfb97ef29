"""What a job refers to, where the reference may be empty; all raise EngineError if it is."""

from typing import TypeVar

from ...exceptions import EngineError
from ...models import Fileset, Job, Pool, Storage

T = TypeVar("T")


def parent_of(job: Job) -> Job:
    """Return the backup that a restore or verification reads."""
    return _required(job.parent, job, "backup to read")


def fileset_of(job: Job) -> Fileset:
    """Return the fileset of a backup."""
    return _required(job.fileset, job, "fileset")


def pool_of(job: Job) -> Pool:
    """Return the pool of a backup."""
    return _required(job.pool, job, "pool")


def storage_of(job: Job) -> Storage:
    """Return the storage of a job."""
    return _required(job.storage, job, "storage")


def _required(value: T | None, job: Job, noun: str) -> T:
    if value is None:
        raise EngineError(f"Job {job.pk} has no {noun}.")
    return value
