"""What a job refers to, where the reference may be empty."""

from ...exceptions import EngineError
from ...models import Fileset, Job, Pool, Storage


def parent_of(job: Job) -> Job:
    """Return the backup that a restore or verification reads; raises EngineError if it is gone."""
    if job.parent is None:
        raise EngineError(f"The backup that job {job.pk} reads has been deleted.")
    return job.parent


def fileset_of(job: Job) -> Fileset:
    """Return the fileset of a backup; raises EngineError if it is gone."""
    if job.fileset is None:
        raise EngineError(f"The fileset of job {job.pk} has been deleted.")
    return job.fileset


def pool_of(job: Job) -> Pool:
    """Return the pool of a backup; raises EngineError if it has none."""
    if job.pool is None:
        raise EngineError(f"Job {job.pk} has no pool.")
    return job.pool


def storage_of(job: Job) -> Storage:
    """Return the storage of a job; raises EngineError if it has none."""
    if job.storage is None:
        raise EngineError(f"Job {job.pk} has no storage.")
    return job.storage
