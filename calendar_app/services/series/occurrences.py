"""Stores many events of a series in a number of queries that hardly grows with them."""

import datetime as dt
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from django.utils import timezone

from ...models import Event, EventOrganizer, EventVenue, Series, Status
from ...values import time_zones
from ...values.slugs import MAX_LENGTH, slug_of, unique_slugs
from .. import counts, history, tombstones
from ..revision import note_event, touch

# What each event has for itself.
OWN = {
    *("id", "slug", "status_before_trash", "source_id", "source_version", "global_id_lineage"),
    *("modified", "modified_utc", "date", "date_utc", "original_start", "is_override"),
    *("start_date", "end_date", "start_utc", "end_utc", "duration", "timezone_abbr"),
    *("parent_id", "series_id"),
}
TIMES = ["start_date", "end_date", "start_utc", "end_utc", "duration", "timezone_abbr"]
ENDING = len("-2027-03-01")
LINKS: list[tuple[type[Any], list[str]]] = [
    (EventVenue, ["venue_id", "position"]),
    (EventOrganizer, ["organizer_id", "position"]),
    (Event.categories.through, ["category_id"]),
    (Event.tags.through, ["tag_id"]),
]


def add(series: Series, template: Event, days: Sequence[dt.datetime], parent: int) -> None:
    """Store an event like template on each of these dates, as parts of the event parent."""
    if not days:
        return
    now = timezone.now()
    base = slug_of(template.title)[: MAX_LENGTH - ENDING] or "event"
    slugs = unique_slugs([f"{base}-{day:%Y-%m-%d}" for day in days], Event.objects.untrashed())
    made = [_copy(template, series, day) for day in days]
    for event, slug in zip(made, slugs, strict=True):
        event.slug, event.parent_id = slug, parent
        event.prepare(now)
    Event.objects.bulk_create(made)
    _copy_links(template, made)
    ids = [event.pk for event in made]
    touch(Event, ids)
    history.note_made(made)
    for event in made:
        note_event(event.pk, None, tombstones.listing(event))
    if tombstones.listing(template).is_counted:
        counts.change_all(ids, 1)


def _copy(template: Event, series: Series, day: dt.datetime) -> Event:
    fields = (field.attname for field in Event._meta.concrete_fields)
    event = Event(**{name: getattr(template, name) for name in fields if name not in OWN})
    event.series, event.original_start = series, day
    if series.uid and template.source_id:
        # So that the next import of the same calendar finds it.
        event.source_id = f"{series.uid}/{series.date_id(day)}"
    if template.status == Status.FUTURE:
        event.date, event.date_utc = template.date, template.date_utc
    place(event, day, template.end_date - template.start_date)
    return event


def place(event: Event, day: dt.datetime, length: dt.timedelta) -> None:
    """Let event start on a date of its series, and last this long by the clock on the wall."""
    series = event.series
    if series is not None and series.timezone != event.timezone and not event.all_day:
        instant = time_zones.to_utc(day, series.zone)
        day = time_zones.to_wall(instant, time_zones.get(event.timezone))
    event.start_date, event.end_date = day, day + length
    # What it knew so far are instants of another date.
    event.start_utc = event.end_utc = None  # type: ignore[assignment]
    event.derive_times()
    if event.start_date > day:
        # It was moved past a gap of the clocks, which the end may not be in.
        event.end_date = time_zones.to_wall(
            event.start_utc + length, time_zones.get(event.timezone)
        )
        event.derive_times()


def _copy_links(template: Event, made: Sequence[Event]) -> None:
    for through, columns in LINKS:
        linked = list(through.objects.filter(event=template).order_by("pk").values(*columns))
        through.objects.bulk_create(
            through(event_id=event.pk, **link) for event in made for link in linked
        )


@contextmanager
def relisting(events: Sequence[Event]) -> Iterator[None]:
    """Keep lists and counts right while the block changes these stored events in bulk."""
    before = {event.pk: tombstones.listing(event) for event in events}
    yield
    columns = (*tombstones.POST_COLUMNS, *tombstones.EVENT_COLUMNS)
    rows = Event.objects.filter(pk__in=before).values_list("pk", *columns)
    now = {pk: tombstones.Listing(*row) for pk, *row in rows}
    kept = [event for event in events if event.pk in now]
    tombstones.note_changes((event, before[event.pk], now[event.pk]) for event in kept)
    for is_counted, by in ((True, 1), (False, -1)):
        changed = [
            pk
            for pk in now
            if now[pk].is_counted == is_counted and before[pk].is_counted != is_counted
        ]
        if changed:
            counts.change_all(changed, by)
    touch(Event, before)
    for pk, listing in now.items():
        note_event(pk, before[pk], listing)
