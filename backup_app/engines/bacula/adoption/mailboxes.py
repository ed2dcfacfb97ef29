"""The mailboxes in what clients had before they were adopted."""

from collections.abc import Iterator

from django.db.models import Max

from ....exceptions import BackupError, EngineUnreachable
from ....models import Client, Job, JobSource
from ....services import mailboxes
from .report import Tally


def newest_id() -> int:
    """Return the number of the newest job that is here."""
    return Job.objects.aggregate(newest=Max("pk"))["newest"] or 0


def harvest(clients: list[Client], since: int, tally: Tally) -> Iterator[Job]:
    """Note the mailboxes in what clients would restore today; yield each backup looked at.

    Only in backups that came after the one with the number ``since``, oldest first.
    """
    sources = JobSource.objects.filter(job__in=_newest(clients), source__gt=since)
    jobs = Job.objects.filter(pk__in=sources.values("source")).select_related("client")
    for job in jobs.order_by("engine_job_id"):
        try:
            mailboxes.harvest(job)
        except EngineUnreachable:
            raise
        except BackupError as e:
            tally.problems.append(f"The mailboxes of job {job.pk} could not be noted: {e}")
        yield job


def _newest(clients) -> list[int]:
    """Return the newest good backup of each fileset of each client."""
    backups = Job.objects.backups().good().filter(client__in=clients).order_by()
    newest = backups.values("client", "fileset").annotate(newest=Max("pk"))
    return list(newest.values_list("newest", flat=True))
