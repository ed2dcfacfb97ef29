"""The verbs of an event: store it together with its links, move it to another time."""

import datetime as dt
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ..exceptions import CalendarError, Gone, Stale
from ..models import Category, Event, EventOrganizer, EventVenue, Organizer, Status, Tag, Venue
from ..values import time_zones
from . import counts, history, new_events, posts
from .revision import writing
from .tombstones import listing

# What a copy of an event does not take over.
OWN = {
    *("id", "slug", "status", "status_before_trash", "author_id", "parent_id", "date", "date_utc"),
    *("source_id", "source_version", "global_id_lineage", "start_utc", "end_utc"),
    *("series_id", "original_start", "is_override"),
}

LINK_ORDER = "event_links__position", "event_links__id"


def save(
    event: Event,
    *,
    venues: Sequence[Venue] | None = None,
    organizers: Sequence[Organizer] | None = None,
    categories: Collection[Category] | None = None,
    tags: Collection[Tag] | None = None,
    by_itself: bool = True,
) -> None:
    """Store event, linked to exactly these records; venues and organizers keep their order.

    None leaves the links of that kind unchanged. ``event.just_linked`` has the venues and
    organizers for whoever represents the event next. One that is changed ``by_itself`` no longer
    is as the others of its series.
    """
    links = {"venues": venues, "organizers": organizers}
    terms = {"categories": categories, "tags": tags}
    with writing(precise=True):
        is_new = event.pk is None
        if event.series_id is None:
            event.is_override = False
        elif by_itself and not event.is_override:
            event.is_override = is_new or _differs(event, links, terms)
        vars(event)["just_linked"] = {Venue: venues, Organizer: organizers}
        if is_new and new_events.keep(event, {**links, **terms}):
            return
        posts.save(event)
        _set_links(EventVenue, "venue", event, venues, is_new)
        _set_links(EventOrganizer, "organizer", event, organizers, is_new)
        _set_terms(event, Category, categories, is_new)
        _set_terms(event, Tag, tags, is_new)


def _differs(
    event: Event,
    links: Mapping[str, Sequence[Any] | None],
    terms: Mapping[str, Collection[Any] | None],
) -> bool:
    """Return whether event is stored otherwise, or linked to other records."""
    event.derive_times()
    stored = Event.objects.get(pk=event.pk)
    names = {field.attname for field in Event._meta.concrete_fields} - {"modified", "modified_utc"}
    return (
        any(getattr(event, name) != getattr(stored, name) for name in names)
        or any(
            given is not None and [*given] != [*getattr(stored, name).order_by(*LINK_ORDER)]
            for name, given in links.items()
        )
        or any(
            given is not None and {*given} != {*getattr(stored, name).all()}
            for name, given in terms.items()
        )
    )


def move(event: Event, start: dt.datetime, *, seen: dt.datetime) -> None:
    """Let event start at another local time and last as long as before, by the clock on the wall.

    ``seen`` is the start that the caller knows: Stale is raised when it is another meanwhile, Gone
    when the event is in the trash, and CalendarError when it would end after the year 9999.
    """
    with writing(precise=True):
        posts.reload(event)
        if event.is_trashed:
            raise Gone("event", event.pk)
        if event.start_date != seen:
            now_at = f"{event.start_date:%Y-%m-%d %H:%M}"
            raise Stale(f"Somebody else has moved “{event}” meanwhile: it starts on {now_at}.")
        _shift(event, event, start)
        save(event)


def duplicate(event: Event, start: dt.datetime, author: Any) -> Event:
    """Return a copy of event as a draft of author, which starts at another local time.

    It is as long, and linked to the same records. Raises CalendarError when it would end after the
    year 9999.
    """
    values = {field.attname: getattr(event, field.attname) for field in event._meta.concrete_fields}
    copy = Event(**{name: value for name, value in values.items() if name not in OWN})
    copy.author, copy.status = author, Status.DRAFT
    _shift(copy, event, start)
    with writing(precise=True):
        save(
            copy,
            venues=list(event.venues.order_by(*LINK_ORDER)),
            organizers=list(event.organizers.order_by(*LINK_ORDER)),
            categories=event.categories.all(),
            tags=event.tags.all(),
        )
    return copy


def _shift(event: Event, original: Event, start: dt.datetime) -> None:
    """Set the times of event to those of original, from start on."""
    length = original.end_date - original.start_date
    # Out of a gap first, lest the end come before the start.
    start, _ = time_zones.resolve(start, time_zones.get(event.timezone))
    try:
        event.start_date, event.end_date = start, start + length
    except OverflowError as e:
        sentence = f"“{event}” cannot start on {start.isoformat(' ')}: it would end too late."
        raise CalendarError(sentence) from e


def _set_links(
    through: type[Any],
    name: str,
    event: Event,
    records: Iterable[Venue | Organizer] | None,
    is_new: bool,
) -> None:
    if records is None:
        return
    links, column = getattr(event, f"{name}_links"), f"{name}_id"
    before = [] if is_new else list(links.values_list(column, flat=True))
    after = list(dict.fromkeys(record.pk for record in records))
    if before == after:
        return
    if before:
        links.all().delete()
    through.objects.bulk_create(
        through(event=event, position=place, **{column: pk}) for place, pk in enumerate(after)
    )
    history.note_links(event, f"{name}s", before, after)


def _set_terms(
    event: Event, model: type[Any], records: Iterable[Category | Tag] | None, is_new: bool
) -> None:
    if records is None:
        return
    through, column = counts.links(model)
    links = through.objects.filter(event=event)
    before = set() if is_new else set(links.values_list(column, flat=True))
    after = {record.pk for record in records}
    added, removed = after - before, before - after
    through.objects.bulk_create(through(event=event, **{column: pk}) for pk in sorted(added))
    if removed:
        links.filter(**{f"{column}__in": removed}).delete()
    if before != after:
        history.note_links(event, model.event_field, before, after)
    if listing(event).is_counted:
        counts.change(model, added, 1)
        counts.change(model, removed, -1)
