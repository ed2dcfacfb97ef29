"""How much backups take, day by day, and when a storage will be full."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery, Sum
from django.utils import timezone

from ...models import Client, Job, JobSource, Usage
from .protection import with_backups

DAYS = 90  # of a history
GROWTH_DAYS = 30
FIELDS = ["protected_bytes", "stored_bytes"]
Place = tuple[int, int]  # IDs of an account and a storage


@dataclass
class Sums:
    """The bytes of one account in one storage."""

    protected_bytes: int = 0
    stored_bytes: int = 0


@dataclass(frozen=True)
class Point:
    """The bytes of one day."""

    day: dt.date
    protected_bytes: int
    stored_bytes: int


def note() -> None:
    """Store today's usage; the first time also that of the days before, from what is left."""
    today = timezone.localdate()
    if not Usage.objects.exists():
        _store(_rows_before(today))
    sums = _sums_now()
    for place in _places_since(today - dt.timedelta(days=1)):
        sums[place]  # also of those whose last backup was removed
    _store(_rows(today, sums))


def history(usage: QuerySet[Usage], days: int = DAYS) -> list[Point]:
    """Return the sums of each of the last days, from the first with a sample.

    A day without one is as the day before.
    """
    today = timezone.localdate()
    days_of_usage = usage.filter(day__gt=today - dt.timedelta(days=days)).order_by("day")
    sums = days_of_usage.values_list("day").annotate(Sum("protected_bytes"), Sum("stored_bytes"))
    found = {day: (protected, stored) for day, protected, stored in sums}
    if not found:
        return []
    first = last = next(iter(found))
    points = []
    for day in (first + dt.timedelta(days=number) for number in range((today - first).days + 1)):
        last = day if day in found else last
        points.append(Point(day, *found[last]))
    return points


def growth() -> dict[int, float]:
    """Return the bytes a day by which each storage has grown in the last 30 days, by its ID.

    A storage whose samples are of one day only is left out.
    """
    since = timezone.localdate() - dt.timedelta(days=GROWTH_DAYS)
    rows = Usage.objects.filter(day__gte=since).order_by().values("storage", "day")
    ends: dict[int, list[tuple[dt.date, int]]] = defaultdict(list)
    for row in rows.annotate(stored=Sum("stored_bytes")).order_by("day"):
        ends[row["storage"]].append((row["day"], row["stored"]))
    return {pk: _slope(samples[0], samples[-1]) for pk, samples in ends.items() if samples[1:]}


def full_on(free: int | None, growth: float | None) -> dt.date | None:
    """Return the day on which a storage will be full, None if it does not grow or nobody knows."""
    if free is None or growth is None or growth <= 0:
        return None
    try:
        return timezone.localdate() + dt.timedelta(days=free / growth)
    except OverflowError:
        return None  # not in this era


def _slope(first: tuple[dt.date, int], last: tuple[dt.date, int]) -> float:
    return (last[1] - first[1]) / (last[0] - first[0]).days


def _places_since(day: dt.date) -> Iterable[Place]:
    return (
        Usage.objects.filter(day__gte=day).order_by().values_list("account", "storage").distinct()
    )


def _sums_now() -> dict[Place, Sums]:
    sums: dict[Place, Sums] = defaultdict(Sums)
    jobs = Job.objects.backups().good().exclude(storage=None).order_by()
    for account, storage, stored in jobs.values_list("account", "storage").annotate(
        stored=Sum("stored_bytes")
    ):
        sums[account, storage].stored_bytes = stored
    newest = Job.objects.filter(pk=OuterRef("last_good")).values("storage")
    clients = with_backups(Client.objects.present()).annotate(place=Subquery(newest))
    for account, storage, protected in clients.exclude(place=None).values_list(
        "account", "place", "protected_bytes"
    ):
        sums[account, storage].protected_bytes += protected
    return sums


@dataclass
class _Past:
    """What was there as backups ended, one after the other."""

    sums: dict[Place, Sums] = field(default_factory=lambda: defaultdict(Sums))
    newest: dict[int, tuple[Place, int]] = field(default_factory=dict)  # by client

    def add(self, job: Any, protected: int) -> None:
        place = job["account"], job["storage"]
        self.sums[place].stored_bytes += job["stored_bytes"]
        if before := self.newest.get(job["client"]):
            self.sums[before[0]].protected_bytes -= before[1]
        self.sums[place].protected_bytes += protected
        self.newest[job["client"]] = place, protected


def _rows_before(today: dt.date) -> Iterator[Usage]:
    """Yield rows of the days before, as far as backups were not removed since."""
    jobs = Job.objects.backups().good().exclude(storage=None).exclude(ended=None).order_by("ended")
    sources = JobSource.objects.order_by().values_list("job")
    protected = dict(sources.annotate(bytes=Sum("source__bytes")))
    fields = "pk", "account", "storage", "client", "bytes", "stored_bytes", "ended"
    waiting = jobs.values(*fields).iterator()
    job = next(waiting, None)
    past = _Past()
    for number in range(DAYS - 1, 0, -1):
        day = today - dt.timedelta(days=number)
        while job and timezone.localtime(job["ended"]).date() <= day:
            past.add(job, protected.get(job["pk"], job["bytes"]))
            job = next(waiting, None)
        yield from _rows(day, past.sums)


def _rows(day: dt.date, sums: dict[Place, Sums]) -> Iterator[Usage]:
    for (account, storage), bytes_ in sums.items():
        yield Usage(day=day, account_id=account, storage_id=storage, **vars(bytes_))


def _store(rows: Iterable[Usage]) -> None:
    # Several workers may do so at once.
    Usage.objects.bulk_create(
        rows,
        batch_size=500,
        update_conflicts=True,
        unique_fields=["day", "account", "storage"],
        update_fields=FIELDS,
    )
