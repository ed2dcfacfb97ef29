"""The verb that stores an event with all that it is linked to."""

from . import posts, terms
from .models import Category, Event, EventOrganizer, EventVenue, Tag
from .revision import writing


def save(event: Event, *, venues=None, organizers=None, categories=None, tags=None):
    """Store event and, where they are given, exactly these links (lists of records, in order).

    None leaves the links of that kind as they are.
    """
    with writing():
        posts.save(event)
        _set_links(EventVenue, "venue", event, venues)
        _set_links(EventOrganizer, "organizer", event, organizers)
        _set_terms(event, Category, categories)
        _set_terms(event, Tag, tags)
        terms.recount_of([event.pk])


def _set_links(through, name, event, records):
    if records is None:
        return
    links = getattr(event, f"{name}_links")
    wanted = list(dict.fromkeys(record.pk for record in records))
    column = f"{name}_id"
    if list(links.values_list(column, flat=True)) == wanted:
        return
    links.all().delete()
    through.objects.bulk_create(
        through(event=event, position=place, **{column: pk}) for place, pk in enumerate(wanted)
    )


def _set_terms(event, model, records):
    if records is None:
        return
    manager = getattr(event, model.event_field)
    before = set(manager.values_list("pk", flat=True))
    manager.set(records)
    if gone := before - {record.pk for record in records}:
        terms.recount(model, gone)
