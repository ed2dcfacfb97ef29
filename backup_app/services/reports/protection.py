"""How well clients are protected: their newest good backups, and whether the next is overdue."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, OuterRef, Q, QuerySet, Subquery, Sum, TextChoices
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.timesince import timesince

from ...conf import conf
from ...lib import cron
from ...models import Client, Job, JobSource
from ...models.job import GOOD, OPEN

GRACE = dt.timedelta(hours=2)  # for a scheduled backup to end


class Standing(TextChoices):
    """How a client stands, the worst first."""

    NEVER = "never", "never backed up"
    OVERDUE = "overdue"
    FAILING = "failing"  # protected as yet, but its last backup failed
    PROTECTED = "protected"


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


def with_standing(clients: QuerySet[Client]) -> QuerySet[Client]:
    """Annotate what ``standing`` needs.

    ``last_began``, when the newest good backup did, and of the newest backup that has ended by
    itself ``last_outcome``, its status, and ``last_message``.
    """
    backups = Job.objects.backups().filter(client=OuterRef("pk")).order_by("-pk")
    good = backups.good().annotate(began=Coalesce("started", "created"))
    ended = backups.filter(status__in=[*GOOD, Job.Status.FAILED])
    return clients.select_related("fileset").annotate(
        last_began=Subquery(good.values("began")[:1]),
        last_outcome=Subquery(ended.values("status")[:1]),
        last_message=Subquery(ended.values("message")[:1]),
    )


def standing(client: Any) -> Standing:
    """Return the standing of a client of ``with_standing``."""
    if client.last_began is None:
        return Standing.NEVER
    if deadline(client, client.last_began) < timezone.now():
        return Standing.OVERDUE
    if client.last_outcome == Job.Status.FAILED:
        return Standing.FAILING
    return Standing.PROTECTED


def reason(client: Any) -> str:
    """Return in words why a client of ``with_standing`` is not protected; "" if it is."""
    now = timezone.now()
    due = deadline(client, client.last_began)
    reasons = []
    if client.last_began and due < now:
        reasons.append(f"A backup was due {timesince(due, now, depth=1)} ago.")
    if client.last_outcome == Job.Status.FAILED:
        reasons.append(f"The last one failed: {client.last_message}")
    elif client.last_began is None:
        reasons.append("There is no good backup yet.")
    # An adopted client is backed up on the schedule of the installation that it was found in.
    if reasons and not (client.effective_schedule or client.is_adopted):
        reasons.append("It has no schedule.")
    return " ".join(reasons)


def by_standing(clients: QuerySet[Client]) -> dict[Standing, list[Client]]:
    """Return clients by their standing, the worst first, with one query."""
    found: dict[Standing, list[Client]] = {each: [] for each in Standing}
    for client in with_standing(clients):
        found[standing(client)].append(client)
    return found


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
