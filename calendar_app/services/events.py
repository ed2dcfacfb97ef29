"""The verb that stores an event together with its links."""

from collections.abc import Iterable
from typing import Any

from ..models import Category, Event, EventOrganizer, EventVenue, Organizer, Tag, Venue
from . import posts, terms
from .revision import writing


def save(
    event: Event,
    *,
    venues: Iterable[Venue] | None = None,
    organizers: Iterable[Organizer] | None = None,
    categories: Iterable[Category] | None = None,
    tags: Iterable[Tag] | None = None,
) -> None:
    """Store event, linked to exactly these records; venues and organizers keep their order.

    None leaves the links of that kind unchanged.
    """
    with writing():
        is_new = event.pk is None
        posts.save(event)
        _set_links(EventVenue, "venue", event, venues, is_new)
        _set_links(EventOrganizer, "organizer", event, organizers, is_new)
        _set_terms(event, Category, categories, is_new)
        _set_terms(event, Tag, tags, is_new)
        terms.recount_terms_of([event.pk])


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


def _set_terms(
    event: Event, model: type[Any], records: Iterable[Category | Tag] | None, is_new: bool
) -> None:
    if records is None:
        return
    manager = getattr(event, model.event_field)
    before = set() if is_new else set(manager.values_list("pk", flat=True))
    after = {record.pk for record in records}
    manager.add(*after - before)
    if removed := before - after:
        manager.remove(*removed)
        # save() recounts the terms that the event has, no longer these.
        terms.recount(model, removed)
