"""How well each client is protected."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import Max, Q, QuerySet, Sum
from django.utils import timezone

from ..conf import conf
from ..jobs import scheduler
from ..models import Client, Job
from ..models.job import GOOD, OPEN

GRACE = dt.timedelta(hours=2)  # that a scheduled backup may take


@dataclass(frozen=True)
class Protection:
    """A client's newest good backup, and what all of its good ones take."""

    client: Client
    last: Job | None
    stored_bytes: int
    is_at_work: bool  # a backup is queued or running
    is_overdue: bool
    age: dt.timedelta | None

    @property
    def state(self) -> str:
        """Return overdue, at work, ok, or waiting for the first backup."""
        if self.is_overdue:
            return "overdue"
        if self.is_at_work:
            return "at work"
        return "ok" if self.last else "waiting"


def of_clients(clients: QuerySet[Client]) -> list[Protection]:
    """Return how the clients of a queryset are protected, by their names, in two queries."""
    good = Q(jobs__type="backup", jobs__status__in=GOOD)
    open_backup = Q(jobs__type="backup", jobs__status__in=OPEN)
    found = clients.order_by("name", "pk").annotate(
        newest=Max("jobs__pk", filter=good),
        stored=Sum("jobs__stored_bytes", filter=good, default=0),
        at_work=Max("jobs__pk", filter=open_backup),
    )
    last = Job.objects.in_bulk([client.newest for client in found if client.newest])
    return [_protection(client, last.get(client.newest)) for client in found]


def _protection(client, last):
    now = timezone.now()
    return Protection(
        client=client,
        last=last,
        stored_bytes=client.stored,
        is_at_work=client.at_work is not None,
        is_overdue=deadline(client, last and (last.started or last.created)) < now,
        age=last and now - (last.ended or last.created),
    )


def deadline(client: Client, began: dt.datetime | None) -> dt.datetime:
    """Return until when the next good backup must be there, by when the last one began, if any.

    That is OVERDUE_HOURS after the last one began, or later when the schedule's turn is later.
    """
    since = began or client.created
    least = since + dt.timedelta(hours=conf.OVERDUE_HOURS)
    if not (schedule := scheduler.of_client(client)):
        return least
    try:
        return max(least, scheduler.next_time(schedule, since) + GRACE)
    except ValueError:
        return least
