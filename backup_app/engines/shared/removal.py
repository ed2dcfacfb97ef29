"""Deleting the rows of backups that nothing needs any more, as every engine does first."""

from django.db import transaction

from ...exceptions import WrongState
from ...models import Job, JobSource
from ...models.job import GOOD, OPEN


def delete_unneeded(job: Job) -> None:
    """Delete a job's row with its catalog, in one transaction.

    Raises WrongState while it is at work, and while another job builds on it or reads it.
    """
    with transaction.atomic():
        _require_unneeded(job)
        job.delete()


def _require_unneeded(job):
    if job.is_open:
        raise WrongState(f"Job {job.pk} is {job.status}.")
    builders = JobSource.objects.filter(source=job, job__status__in=[*OPEN, *GOOD])
    if link := builders.exclude(job=job).order_by("job").first():
        raise WrongState(f"Backup {link.job_id} builds on backup {job.pk}.")
    if reader := job.children.open().order_by("pk").first():
        raise WrongState(f"Job {reader.pk} needs backup {job.pk} and is {reader.status}.")
