"""The states of a job: each transition is one conditional UPDATE.

    queued → running → completed | warnings | failed | canceled
    queued → canceled, and canceling between running and how it ended

So if several workers, or a worker and a cancellation, compete, exactly one makes the transition.
An active job belongs to the ``worker`` that began it, and no other can end it. A job that continues
by itself in an engine that ``resumes`` is left to it, without a worker, between polls.
"""

from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import DateTimeField, F, Value
from django.db.models.functions import Greatest
from django.utils import timezone

from ..models import Job
from ..models.job import ACTIVE

Status = Job.Status
ANY: Any = object()  # no condition on a field


class ClientBusy(Exception):
    """Another job of the client is active, so this one has to wait."""


def begin(job_id: int, worker: str) -> bool:
    """Start a queued job; False if it is not queued. Raises ClientBusy."""
    now = timezone.now()
    try:
        with transaction.atomic():
            return _step(job_id, [Status.QUEUED], Status.RUNNING, worker=worker, started=now)
    except IntegrityError as e:  # the constraint of one active job per client
        raise ClientBusy from e


def keep_alive(job_id: int, worker: str, **progress: Any) -> bool:
    """Record a heartbeat; False if the job is to be canceled or is no longer the worker's."""
    return _step(job_id, [Status.RUNNING], Status.RUNNING, owner=worker, **progress)


def finish(job_id: int, worker: str, status: str, **fields: Any) -> bool:
    """End a running job; False if it is to be canceled or is no longer the worker's."""
    return _end(job_id, [Status.RUNNING], status, owner=worker, **fields)


def give_up(job_id: int, worker: str, status: str, **fields: Any) -> bool:
    """End an active job that did not succeed; False if it is no longer the worker's."""
    return _end(job_id, ACTIVE, status, owner=worker, **fields)


def take_over(job: Job, worker: str) -> bool:
    """Give a job to another worker; False if it has changed since it was read."""
    as_read = {"owner": job.worker, "seen_at": job.seen}
    return _step(job.pk, [job.status], job.status, **as_read, worker=worker)


def leave_to_engine(job_id: int, worker: str, **progress: Any) -> bool:
    """Leave an active job to its engine; False if it is no longer the worker's."""
    return _change_worker(job_id, worker, "", **progress)


def resume(job_id: int, worker: str) -> bool:
    """Take a job that was left to its engine; False if it is not, or another worker was faster."""
    return _change_worker(job_id, "", worker)


def owns(job_id: int, worker: str) -> bool:
    """Return whether a job is active and a worker's."""
    return Job.objects.filter(pk=job_id, worker=worker, status__in=ACTIVE).exists()


def note_task(job_id: int, seen: Any = ANY) -> bool:
    """Record that a queued job has a task; False if its ``seen`` has changed since it was read."""
    return _step(job_id, [Status.QUEUED], Status.QUEUED, seen_at=seen)


def cancel_queued(job_id: int, message: str) -> bool:
    """Cancel a job that no worker has begun; False if it is no longer queued."""
    now = timezone.now()
    return _step(job_id, [Status.QUEUED], Status.CANCELED, ended=now, message=message)


def request_cancel(job_id: int) -> bool:
    """Ask the worker of a running job to end it; False if it is not running."""
    return _step(job_id, [Status.RUNNING], Status.CANCELING)


def _change_worker(job_id: int, worker: str, next_worker: str, **fields: Any) -> bool:
    # Whether running or canceling: a request to cancel meanwhile must not be lost.
    jobs = Job.objects.filter(pk=job_id, worker=worker, status__in=ACTIVE)
    return jobs.update(worker=next_worker, seen=timezone.now(), **fields) == 1


def _end(job_id: int, sources: list[str], status: str, **fields: Any) -> bool:
    # The host that ends it may have a slower clock than the one that began it.
    now = Value(timezone.now(), DateTimeField())
    return _step(job_id, sources, status, **({"ended": Greatest(now, F("started"))} | fields))


def _step(
    job_id: int,
    sources: list[str],
    status: str,
    *,
    owner: Any = ANY,
    seen_at: Any = ANY,
    **fields: Any,
) -> bool:
    wanted = {"worker": owner, "seen": seen_at}
    jobs = Job.objects.filter(
        pk=job_id,
        status__in=sources,
        **{name: value for name, value in wanted.items() if value is not ANY},
    )
    return jobs.update(status=status, **({"seen": timezone.now()} | fields)) == 1
