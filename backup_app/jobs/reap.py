"""Ending the jobs whose worker died, except those that continue in their engine."""

import datetime as dt

from django.utils import timezone

from ..conf import conf
from ..engines import resuming_engines
from ..lib.log_context import about_job
from ..models import Job
from ..models.job import ACTIVE
from . import execute, states
from .job_run import JobRun
from .worker_id import is_gone, this_worker

Status = Job.Status


def reap() -> int:
    """End each job whose worker died; return how many."""
    active = Job.objects.filter(status__in=ACTIVE).exclude(worker="")
    return sum(reap_if_dead(job) for job in active)


def reap_if_dead(job: Job) -> bool:
    """End an active job whose worker died, and remove its leftovers; return whether that was done.

    A job of an engine that ``resumes`` is left to it instead, for another worker.
    """
    reason = _death(job)
    worker = this_worker("upkeep")
    if not (reason and states.take_over(job, worker)):
        return False
    if job.engine in resuming_engines():
        states.leave_to_engine(job.pk, worker)
        return False
    canceled = job.status == Status.CANCELING
    status = Status.CANCELED if canceled else Status.FAILED
    message = f"The job was canceled. {reason}" if canceled else reason
    with about_job(job.pk):
        execute.fail(JobRun(job, worker), status, message)
    return True


def _death(job: Job) -> str:
    """Return a sentence on why the worker of a job counts as dead; "" if it does not."""
    if job.status not in ACTIVE or not job.worker:
        return ""
    if is_gone(job.worker):
        return "The worker of this job ended before the job was done."
    if (job.seen or job.created) < timezone.now() - dt.timedelta(seconds=conf.JOB_LOST_SECONDS):
        return f"This job had no heartbeat for {conf.JOB_LOST_SECONDS} seconds."
    return ""
