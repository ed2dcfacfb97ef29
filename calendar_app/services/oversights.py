"""What is likely a mistake in an event, and not forbidden: editors are warned, programs are not."""

import datetime as dt
from collections.abc import Collection
from typing import Any, NamedTuple

from django.db.models import F, Max, Q, QuerySet, RowRange, Window
from django.db.models.functions import Lead

from ..models import Event, EventVenue, Venue
from ..permissions import User
from ..values import time_zones

NAMED = 3  # events in one warning
DAY = dt.timedelta(days=1)


class Oversight(NamedTuple):
    """A sentence about a field of an event."""

    field: str
    sentence: str


def find(
    event: Event, start: dt.datetime, end: dt.datetime, venues: Collection[int], user: User
) -> list[Oversight]:
    """Return what user may have overlooked in an event at venues with these IDs.

    ``start`` and ``end`` are the local times as they were given; those of ``event`` are derived
    from them. Only events that user may read in full are named, and none in the trash.
    """
    if event.end_utc < event.start_utc:
        return [Oversight("end_date", "The end is before the start.")]
    gaps = [
        Oversight(name, sentence)
        for name, wall in {"start_date": start, "end_date": end}.items()
        if (sentence := _gap(wall, event)) and not event.all_day
    ]
    return [*gaps, *_collisions(event, venues, user), *_doubles(event, user)]


def colliding(events: QuerySet[Event], user: User) -> QuerySet[Any, Any]:
    """Return the IDs of those events that share a venue with another one of them at some time.

    Only venues that user may read count. Each is compared with its neighbours in time alone, so
    that a year of events costs one sort.
    """
    at_venue: dict[str, Any] = {
        "partition_by": "venue",
        "order_by": ["event__start_utc", "event__end_utc", "event"],
    }
    links = EventVenue.objects.filter(event__in=events, venue__in=Venue.objects.visible_to(user))
    timed = links.annotate(
        taken_until=Window(Max("event__end_utc"), frame=RowRange(end=-1), **at_venue),
        next_start=Window(Lead("event__start_utc"), **at_venue),
    )
    return timed.filter(
        Q(taken_until__gt=F("event__start_utc")) | Q(next_start__lt=F("event__end_utc"))
    ).values("event")


def _gap(wall: dt.datetime, event: Event) -> str:
    actual, _ = time_zones.resolve(wall, time_zones.get(event.timezone))
    if actual == wall.replace(fold=0):
        return ""
    return (
        f"The clocks in {event.timezone} are set forward on {_day(wall)}: {wall:%H:%M} does not "
        f"exist, and becomes {actual:%H:%M}."
    )


def _collisions(event: Event, venues: Collection[int], user: User) -> list[Oversight]:
    if not venues:
        return []
    others = Event.objects.disclosed_to(user).exclude(pk=event.pk)
    at_once = others.filter(start_utc__lt=event.end_utc, end_utc__gt=event.start_utc)
    found = at_once.filter(venue_links__venue__in=venues).values_list(
        "venue_links__venue__name", "title", "start_date"
    )
    return [
        Oversight("venues", f"{venue} is taken by “{title}”, which starts on {_moment(start)}.")
        for venue, title, start in found.order_by("start_utc", "id")[:NAMED]
    ]


def _doubles(event: Event, user: User) -> list[Oversight]:
    title = (event.title or "").strip()
    if not title:
        return []
    day = event.start_date.replace(hour=0, minute=0, second=0)
    near = Event.objects.disclosed_to(user).filter(
        start_utc__range=(event.start_utc - 2 * DAY, event.start_utc + 2 * DAY)
    )
    found = near.filter(title__iexact=title, start_date__gte=day, start_date__lt=day + DAY)
    twin = found.exclude(pk=event.pk).order_by("id").first()
    if twin is None:
        return []
    sentence = f"There is already an event “{twin}” on {_day(day)}, at {twin.start_date:%H:%M}."
    return [Oversight("title", sentence)]


def _day(moment: dt.datetime) -> str:
    return f"{moment.day} {moment:%B %Y}"


def _moment(moment: dt.datetime) -> str:
    return f"{_day(moment)} at {moment:%H:%M}"
