"""How well clients are protected: their newest good backups, and whether the next is overdue."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from ..conf import conf
from ..lib import cron
from ..models import Client, Job, JobSource
from ..models.job import GOOD, OPEN

GRACE = dt.timedelta(hours=2)  # for a scheduled backup to end


@dataclass(frozen=True)
class Protection:
    """A client's newest good backup, and the size of all of its good ones."""

    client: Client
    last: Job | None
    stored_bytes: int
    is_running: bool  # a backup is queued or running
    is_overdue: bool
    age: dt.timedelta | None

    @property
    def state(self) -> str:
        """Return overdue, running, ok, or waiting for the first backup."""
        if self.is_overdue:
            return "overdue"
        if self.is_running:
            return "running"
        return "ok" if self.last else "waiting"


def of_clients(clients: QuerySet[Client]) -> list[Protection]:
    """Return the protection of clients, in order of their names, with two queries."""
    good = Q(jobs__type="backup", jobs__status__in=GOOD)
    open_backup = Q(jobs__type="backup", jobs__status__in=OPEN)
    found = clients.order_by("name", "pk").annotate(
        newest=Max("jobs__pk", filter=good),
        stored=Sum("jobs__stored_bytes", filter=good, default=0),
        running=Max("jobs__pk", filter=open_backup),
    )
    last = Job.objects.in_bulk([client.newest for client in found if client.newest])
    return [_protection(client, last.get(client.newest)) for client in found]


def _protection(client: Any, last: Job | None) -> Protection:
    now = timezone.now()
    return Protection(
        client=client,
        last=last,
        stored_bytes=client.stored,
        is_running=client.running is not None,
        is_overdue=deadline(client, (last.started or last.created) if last else None) < now,
        age=now - (last.ended or last.created) if last else None,
    )


def deadline(client: Client, began: dt.datetime | None) -> dt.datetime:
    """Return when the next good backup is overdue, from when the last one began, if any.

    That is OVERDUE_HOURS after it began or, if that is later, GRACE after its schedule is due.
    """
    since = began or client.created
    least = since + dt.timedelta(hours=conf.OVERDUE_HOURS)
    if not (schedule := client.effective_schedule):
        return least
    try:
        return max(least, cron.next_time(schedule, since) + GRACE)
    except ValueError:
        return least


def with_backups(clients: QuerySet[Client]) -> QuerySet[Client]:
    """Annotate ``last_backup``, ``last_status`` and ``protected_bytes``.

    When the newest good backup ended, the status of the newest backup of all, and the bytes of the
    former together with the backups that it builds on.
    """
    backups = Job.objects.backups().filter(client=OuterRef("pk")).order_by("-pk")
    good = backups.good()
    return clients.annotate(
        last_backup=Subquery(good.values("ended")[:1]),
        last_status=Subquery(backups.values("status")[:1]),
        last_good=Subquery(good.values("pk")[:1]),
        own_bytes=Subquery(good.values("bytes")[:1]),
    ).annotate(protected_bytes=Coalesce(_bytes_of_sources(), "own_bytes", 0))


def _bytes_of_sources() -> Subquery:
    sources = JobSource.objects.filter(job=OuterRef("last_good")).order_by().values("job")
    return Subquery(sources.annotate(bytes=Sum("source__bytes")).values("bytes"))
