"""How well each client is protected."""

from django.db.models import OuterRef, Subquery, Sum
from django.db.models.functions import Coalesce

from ..models import Job, JobSource


def with_backups(clients):
    """Return the queryset with ``last_backup``, ``last_status`` and ``protected_bytes``.

    When the newest backup with content ended, how the newest one of all went or goes, and the bytes
    of the former with those that it builds on.
    """
    backups = Job.objects.backups().filter(client=OuterRef("pk")).order_by("-pk")
    good = backups.good()
    return clients.annotate(
        last_backup=Subquery(good.values("ended")[:1]),
        last_status=Subquery(backups.values("status")[:1]),
        last_good=Subquery(good.values("pk")[:1]),
        own_bytes=Subquery(good.values("bytes")[:1]),
    ).annotate(protected_bytes=Coalesce(_bytes_of_sources(), "own_bytes", 0))


def _bytes_of_sources():
    sources = JobSource.objects.filter(job=OuterRef("last_good")).order_by().values("job")
    return Subquery(sources.annotate(bytes=Sum("source__bytes")).values("bytes"))
