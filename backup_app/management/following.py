"""Waiting for a job while its progress is shown."""

import sys
import time
from datetime import timedelta

from django.core.management.base import CommandError
from django.utils import timezone
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeElapsedColumn

from ..jobs import reap
from ..models import Job
from .lookup import job_with_id

EVERY = 0.5  # seconds
PATIENCE = timedelta(seconds=30)  # until a worker begins a job
ALIVE = timedelta(minutes=1)  # since the last sign of life of a worker's job


def follow(job: Job) -> Job:
    """Return a job when it has ended; raises CommandError if no worker begins it."""
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TimeElapsedColumn(),
    )
    terminal = sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), disable=not terminal) as bar:
        task = bar.add_task(_title(job), total=None)
        while job.is_open:
            _require_worker(job)
            reap.reap_if_dead(job)
            time.sleep(EVERY)
            job = job_with_id(job.pk)
            total = job.bytes_done if job.is_good else job.bytes_expected or None
            bar.update(task, description=_title(job), completed=job.bytes_done, total=total)
    return job


def _title(job):
    return f"Job {job.pk}, {job.type} of {job.client}: {job.status}"


def _require_worker(job):
    now = timezone.now()
    if job.status != Job.Status.QUEUED or job.created > now - PATIENCE:
        return
    if not Job.objects.filter(status__in=["running", "canceling"], seen__gte=now - ALIVE).exists():
        raise CommandError(
            f"No worker has begun job {job.pk} in {PATIENCE.seconds} seconds. It stays queued: "
            "start one with 'manage.py worker'."
        )
