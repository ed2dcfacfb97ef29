"""What the background worker does for backups."""

import datetime as dt

from django.utils import timezone
from django_tasks import task

from . import running
from .states import ClientBusy

WAIT = dt.timedelta(seconds=5)  # for another job of the client, and longer each time
LONGEST_WAIT = dt.timedelta(minutes=1)


@task()
def run_job(job_id: int, attempt: int = 0):
    """Do a queued job; while its client is busy with another one, try again later."""
    try:
        running.run(job_id)
    except ClientBusy:
        again = timezone.now() + min(WAIT * (attempt + 1), LONGEST_WAIT)
        run_job.using(run_after=again).enqueue(job_id, attempt + 1)
