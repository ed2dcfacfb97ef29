"""Deleting the row of a job, which every engine does before it deletes the data."""

from django.db import transaction

from ...exceptions import WrongState
from ...models import Job


def delete_job(job: Job) -> None:
    """Delete a job's row with its catalog, in one transaction.

    Raises WrongState while it is open, and while another job builds on it or reads it.
    """
    with transaction.atomic():
        if job.is_open:
            raise WrongState(f"Job {job.pk} is {job.status}.")
        if user := Job.objects.needing(job).order_by("pk").first():
            if user.type == Job.Type.BACKUP:
                raise WrongState(f"Backup {user.pk} builds on backup {job.pk}.")
            raise WrongState(f"Job {user.pk} needs backup {job.pk} and is {user.status}.")
        job.delete()
