"""The states of a job: each step from one to the next is one conditional UPDATE.

    queued → running → completed | warnings | failed | canceled
    queued → canceled, and canceling between running and how it ended

So of several workers, and of a worker and somebody who cancels, exactly one takes each step. A job
at work belongs to the ``worker`` that began it; whoever is no longer that can end it no more. One
that goes on by itself in an engine that ``resumes`` is set aside, and is nobody's between looks.
"""

from django.db import IntegrityError, transaction
from django.db.models import DateTimeField, F, Value
from django.db.models.functions import Greatest
from django.utils import timezone

from ..models import Job
from ..models.job import ACTIVE

Status = Job.Status
ANY = object()  # instead of a value that a field must have


class ClientBusy(Exception):
    """Another job of the client is at work, so this one has to wait."""


def begin(job_id: int, worker: str) -> bool:
    """Take a queued job on, or return False when it is not queued; raises ClientBusy."""
    now = timezone.now()
    try:
        with transaction.atomic():
            return _step(job_id, [Status.QUEUED], Status.RUNNING, worker=worker, started=now)
    except IntegrityError as e:
        raise ClientBusy from e


def keep(job_id: int, worker: str, **progress) -> bool:
    """Give a running job's sign of life; False when it is to end or no longer the worker's."""
    return _step(job_id, [Status.RUNNING], Status.RUNNING, owner=worker, **progress)


def finish(job_id: int, worker: str, status: str, **fields) -> bool:
    """End a running job; False when it was asked to cancel or is no longer the worker's."""
    return _end(job_id, [Status.RUNNING], status, owner=worker, **fields)


def give_up(job_id: int, worker: str, status: str, **fields) -> bool:
    """End a job at work that did not succeed; False when it is no longer the worker's."""
    return _end(job_id, ACTIVE, status, owner=worker, **fields)


def take_over(job: Job, worker: str) -> bool:
    """Make a job at work, as it was read, another worker's; False when one was quicker."""
    as_read = {"owner": job.worker, "seen_at": job.seen}
    return _step(job.pk, [job.status], job.status, **as_read, worker=worker)


def set_aside(job_id: int, worker: str, **progress) -> bool:
    """Leave a job at work to its engine; False when it is no longer the worker's."""
    return _step_at_work(job_id, worker, "", **progress)


def take_up(job_id: int, worker: str) -> bool:
    """Look after a job that was set aside; False when it is not, or another one was quicker."""
    return _step_at_work(job_id, "", worker)


def owns(job_id: int, worker: str) -> bool:
    """Say whether a job at work is a worker's."""
    return Job.objects.filter(pk=job_id, worker=worker, status__in=ACTIVE).exists()


def note_task(job_id: int, seen=ANY) -> bool:
    """Note that a queued job has a task now; False when its ``seen`` is no longer what was read."""
    return _step(job_id, [Status.QUEUED], Status.QUEUED, seen_at=seen)


def withdraw(job_id: int, message: str) -> bool:
    """Cancel a job that no worker has begun; False when it is no longer queued."""
    now = timezone.now()
    return _step(job_id, [Status.QUEUED], Status.CANCELED, ended=now, message=message)


def ask_to_cancel(job_id: int) -> bool:
    """Tell the worker of a running job to end it; False when it is not running."""
    return _step(job_id, [Status.RUNNING], Status.CANCELING)


def _step_at_work(job_id, worker, next_worker, **fields):
    # Meanwhile it may have been asked to cancel, which stays.
    jobs = Job.objects.filter(pk=job_id, worker=worker, status__in=ACTIVE)
    return jobs.update(worker=next_worker, seen=timezone.now(), **fields) == 1


def _end(job_id, sources, status, **fields):
    # The clock of the host that ends it may be behind that of the one that began it.
    now = Value(timezone.now(), DateTimeField())
    return _step(job_id, sources, status, ended=Greatest(now, F("started")), **fields)


def _step(job_id, sources, status, *, owner=ANY, seen_at=ANY, **fields):
    wanted = {"worker": owner, "seen": seen_at}
    jobs = Job.objects.filter(
        pk=job_id,
        status__in=sources,
        **{name: value for name, value in wanted.items() if value is not ANY},
    )
    return jobs.update(status=status, **({"seen": timezone.now()} | fields)) == 1
