"""Reports the jobs that a command started, and waits for them while showing their progress."""

import time
from datetime import timedelta

from django.core.management.base import CommandError
from django.utils import timezone
from rich.progress import BarColumn, DownloadColumn

from ..api.serializers.jobs import JobAnswer
from ..jobs import reap
from ..lib.formatting import counted, size
from ..models import Job
from .lookup import job_with_id
from .terminal import Progress

OPERATOR = "operator"  # whom a job is requested by
NOUNS = {"verify": "verification"}
EVERY = 0.5  # seconds
START_TIMEOUT = timedelta(seconds=30)  # until a worker begins a job
ALIVE = timedelta(minutes=1)  # since the last heartbeat of a worker's job


def answer_started(command, jobs: list[Job], *, wait: bool, one: bool = True):
    """Say which jobs were started and, when told to wait for them, how they ended.

    Raises CommandError when one of them failed.
    """
    if wait:
        jobs = [follow(job) for job in jobs]
    records = [JobAnswer.represent(job) for job in jobs]
    failed = [job for job in jobs if _has_failed(job)]
    lines = [_sentence(job) for job in jobs if job not in failed]
    if lines or command.is_json:
        command.answer(records[0] if one else {"jobs": records}, "\n".join(lines))
    if failed:
        raise CommandError("\n".join(_sentence(job) for job in failed))


def follow(job: Job) -> Job:
    """Return a job when it has ended; raises CommandError if no worker begins it."""
    with Progress(_title(job), BarColumn(), DownloadColumn(), shown=size) as progress:
        while job.is_open:
            _require_worker(job)
            reap.reap_if_dead(job)
            time.sleep(EVERY)
            job = job_with_id(job.pk)
            total = job.bytes_done if job.is_good else job.bytes_expected or None
            progress.update(job.bytes_done, total, _title(job))
    return job


def _title(job):
    return f"Job {job.pk}, {job.type} of {job.client}: {job.status}"


def _require_worker(job):
    now = timezone.now()
    if job.status != Job.Status.QUEUED or job.created > now - START_TIMEOUT:
        return
    if not Job.objects.filter(status__in=["running", "canceling"], seen__gte=now - ALIVE).exists():
        raise CommandError(
            f"No worker has started job {job.pk} within {START_TIMEOUT.seconds} seconds. It stays "
            "queued: start one with 'manage.py worker'."
        )


def _has_failed(job):
    # A verification that found something ends with warnings.
    good = ["completed"] if job.type == Job.Type.VERIFY else ["completed", "warnings"]
    return not job.is_open and job.status not in good


def _sentence(job):
    level = f"{job.level} " if job.level else ""
    what = f"Job {job.pk}, {level}{NOUNS.get(job.type, job.type)} of client '{job.client}'"
    if job.is_open:
        return f"{what}, is {job.status}."
    return f"{what}, {_end(job)}"


def _end(job):
    words = f": {job.message}" if job.message else "."
    if job.status in ("completed", "warnings"):
        found = f" with {counted(job.errors, 'warning')}" if job.errors else ""
        return f"completed{found}: {counted(job.files, 'file')}, {size(job.bytes)}."
    return f"{'was canceled' if job.status == 'canceled' else 'failed'}{words}"
