"""The verb that stores an event with all that it is linked to."""

from ..models import Category, Event, EventOrganizer, EventVenue, Tag
from . import posts, terms
from .revision import writing


def save(event: Event, *, venues=None, organizers=None, categories=None, tags=None):
    """Store event and, where they are given, exactly these links (lists of records, in order).

    None leaves the links of that kind as they are.
    """
    with writing():
        is_new = event.pk is None
        posts.save(event)
        _set_links(EventVenue, "venue", event, venues, is_new)
        _set_links(EventOrganizer, "organizer", event, organizers, is_new)
        _set_terms(event, Category, categories, is_new)
        _set_terms(event, Tag, tags, is_new)
        terms.recount_of([event.pk])


def _set_links(through, name, event, records, is_new):
    if records is None:
        return
    links, column = getattr(event, f"{name}_links"), f"{name}_id"
    held = [] if is_new else list(links.values_list(column, flat=True))
    wanted = list(dict.fromkeys(record.pk for record in records))
    if held == wanted:
        return
    if held:
        links.all().delete()
    through.objects.bulk_create(
        through(event=event, position=place, **{column: pk}) for place, pk in enumerate(wanted)
    )


def _set_terms(event, model, records, is_new):
    if records is None:
        return
    manager = getattr(event, model.event_field)
    held = set() if is_new else set(manager.values_list("pk", flat=True))
    wanted = {record.pk for record in records}
    manager.add(*wanted - held)
    if gone := held - wanted:
        manager.remove(*gone)
        terms.recount(model, gone)
