"""What the background worker does for backups."""

import datetime as dt
import logging
from contextlib import suppress

from django.db.models import Q
from django.utils import timezone

from ..conf import conf
from ..lib.log_context import about_job
from ..lib.tasks import task
from ..models import Job
from ..services import mailboxes
from . import execute, reap, states
from .states import ClientBusy

WAIT = dt.timedelta(seconds=5)  # for another job of the client, and longer each time
LONGEST_WAIT = dt.timedelta(minutes=1)
LOST_TASK = dt.timedelta(hours=1)

logger = logging.getLogger(__name__)


@task()
def run_job(job_id: int, attempt: int = 0):
    """Do a queued job; while its client is busy with another one, try again later.

    A task is begun again when its worker died: then the job ends as failed.
    """
    try:
        _run(job_id)
    except ClientBusy:
        states.note_task(job_id)
        again = timezone.now() + min(WAIT * (attempt + 1), LONGEST_WAIT)
        run_job.using(queue_name=conf.QUEUE, run_after=again).enqueue(job_id, attempt + 1)


@task()
def run_next_job(job_id: int):
    """Do a queued job whose client has just become free; else its own task comes again."""
    with suppress(ClientBusy):
        _run(job_id)


def _run(job_id):
    with about_job(job_id):
        begun = execute.run(job_id)
        job = Job.objects.filter(pk=job_id).first()
        if job and not begun:
            reap.reap_if_dead(job)
        conclude(job_id)


def conclude(job_id: int):
    """Do what follows from a job once it has ended, which it need not have."""
    job = Job.objects.filter(pk=job_id).first()
    if job and job.is_open:
        return
    if job and job.is_good and job.type == Job.Type.BACKUP:
        mailboxes.try_harvest(job)
    enqueue_waiting()
    if job:
        _enqueue_next(job.client_id)


def _enqueue_next(client_id):
    """Let the job of a client that has waited longest begin at once."""
    queued = Job.objects.filter(client=client_id, status=Job.Status.QUEUED)
    if pk := queued.order_by("pk").values_list("pk", flat=True).first():
        run_next_job.using(queue_name=conf.QUEUE).enqueue(pk)


def enqueue(job_id: int):
    """Let the worker do a queued job."""
    run_job.using(queue_name=conf.QUEUE).enqueue(job_id)


def enqueue_waiting():
    """Give a task to each queued job that has none yet, or whose task seems to be lost.

    Two tasks of a job are one too many, and no harm: only one can begin it.
    """
    lost = Q(seen=None) | Q(seen__lt=timezone.now() - LOST_TASK)
    for job in Job.objects.filter(lost, status=Job.Status.QUEUED):
        if states.note_task(job.pk, job.seen):
            enqueue(job.pk)
