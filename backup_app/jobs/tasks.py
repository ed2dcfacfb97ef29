"""The tasks by which background workers run jobs."""

import datetime as dt
import logging
from contextlib import suppress

from django.core.cache import cache
from django.db.models import Q
from django.utils import timezone

from ..conf import conf
from ..lib.log_context import about_job
from ..lib.tasks import task
from ..models import Job
from ..services.files import finding, mailboxes
from . import execute, reap, states
from .states import ClientBusy

WAIT = dt.timedelta(seconds=5)  # for another job of the client; longer each time
LONGEST_WAIT = dt.timedelta(minutes=1)
INDEXED_AT_ONCE = 4
INDEXING_SECONDS = 3600  # after which a backup whose names are missing is tried again
LOST_TASK = dt.timedelta(hours=1)  # far more than LONGEST_WAIT

logger = logging.getLogger(__name__)


@task()
def run_job(job_id: int, attempt: int = 0) -> None:
    """Run a queued job, or retry later while another job of its client is active.

    The task is repeated if its worker dies; the job then ends as failed, and is not done twice.
    """
    try:
        _run(job_id)
    except ClientBusy:
        states.note_task(job_id)
        again = timezone.now() + min(WAIT * (attempt + 1), LONGEST_WAIT)
        run_job.using(queue_name=conf.QUEUE, run_after=again).enqueue(job_id, attempt + 1)


@task()
def run_next_job(job_id: int) -> None:
    """Run a queued job whose client has just become free; if it has not, its own task retries."""
    with suppress(ClientBusy):
        _run(job_id)


def _run(job_id: int) -> None:
    with about_job(job_id):
        begun = execute.run(job_id)
        job = Job.objects.filter(pk=job_id).first()
        if job and not begun:
            reap.reap_if_dead(job)
        conclude(job_id)


def conclude(job_id: int) -> None:
    """If a job has ended, do what follows: mailboxes, its client's next job, the index of names."""
    job = Job.objects.filter(pk=job_id).first()
    if job and job.is_open:
        return
    if job and job.is_good and job.type == Job.Type.BACKUP:
        mailboxes.try_record(job)
    enqueue_waiting()
    if job:
        _enqueue_next(job.client_id)
    if job and job.is_good and job.type == Job.Type.BACKUP:
        finding.try_index(job)


@task()
def index_names(job_id: int) -> None:
    """Make the names in a backup searchable where no worker has done so after it."""
    if job := Job.objects.good().filter(pk=job_id).first():
        finding.try_index(job)


def enqueue_indexing() -> None:
    """Add a task for the oldest backups whose names are not searchable yet, as after an upgrade."""
    for job_id in finding.unindexed_jobs()[:INDEXED_AT_ONCE]:
        if cache.add(f"backup:names-of-{job_id}", 1, INDEXING_SECONDS):
            index_names.using(queue_name=conf.QUEUE).enqueue(job_id)


def _enqueue_next(client_id: int) -> None:
    """Start the job of a client that has waited longest at once, before its next retry."""
    queued = Job.objects.filter(client=client_id, status=Job.Status.QUEUED)
    if pk := queued.order_by("pk").values_list("pk", flat=True).first():
        run_next_job.using(queue_name=conf.QUEUE).enqueue(pk)


def enqueue(job_id: int) -> None:
    """Enqueue the task that runs a queued job."""
    run_job.using(queue_name=conf.QUEUE).enqueue(job_id)


def enqueue_waiting() -> None:
    """Add a task for each queued job that has none yet, or whose task seems to be lost.

    A second task for the same job does no harm: only one of them can start it.
    """
    lost = Q(seen=None) | Q(seen__lt=timezone.now() - LOST_TASK)
    for job in Job.objects.filter(lost, status=Job.Status.QUEUED):
        if states.note_task(job.pk, job.seen):
            enqueue(job.pk)
