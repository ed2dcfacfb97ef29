"""The history of records: events, venues, organizers, categories, tags, and rules of series.

Each write keeps what it did to a record, in the row that tells readers of the write: it takes no
further query. Whatever saves a record through its model is kept by the receivers below; writes that
change links, or many records at once, say so themselves. A password is never kept, only that there
is another one.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db.models import Model
from django.utils import timezone
from django.utils.text import capfirst

from ...conf import conf
from ...models import Category, Change, Event, EventOrganizer, EventVenue
from ..revision import note_change
from . import stored

Verb = Change.Verb
Values = dict[str, Any]
TITLE = 200  # characters
LINKS: dict[str, tuple[type[Any], str]] = {
    "venues": (EventVenue, "venue_id"),
    "organizers": (EventOrganizer, "organizer_id"),
    "categories": (Event.categories.through, "category_id"),
    "tags": (Event.tags.through, "tag_id"),
}
SETS = {"categories", "tags"}  # their order means nothing


def after_save(
    sender: type[Model],
    instance: Model,
    created: bool,
    raw: bool = False,
    update_fields: Collection[str] | None = None,
    **kwargs: Any,
) -> None:
    """Signal receiver: keep what a save has changed."""
    if raw:
        return
    now, before = stored.values(instance), stored.before(instance)
    if created and before is None:
        _note(instance, Verb.CREATED, _changes(_defaults(sender), now, now))
    elif before:
        names = stored.saved(sender, update_fields)
        if changes := _changes(before, now, names):
            _note(instance, Verb.CHANGED, changes)


def after_delete(sender: type[Model], instance: Model, **kwargs: Any) -> None:
    """Signal receiver: keep that a record was deleted, and what it was called."""
    _note(instance, Verb.DELETED, {})


def note_links(event: Event, name: str, before: Iterable[int], after: Iterable[int]) -> None:
    """Keep that event is linked to other records: the IDs of its ``venues``, ``tags`` and so on."""
    _note(event, Verb.CHANGED, {name: [_ids(name, before), _ids(name, after)]})


def note_made(events: Iterable[Event]) -> None:
    """Keep that events were made in bulk."""
    for event in events:
        _note(event, Verb.CREATED, {})


def note_parent(category: Category, parent: int | None) -> None:
    """Keep that a category has moved below another one, or to the top."""
    _note(category, Verb.CHANGED, {"parent_id": [category.parent_id, parent]})


def label(model: type[Model], name: str) -> str:
    """Return what people call a field that the history keeps."""
    if name == "date_utc":
        name = "date"
    field: Any = model._meta.get_field(name.removesuffix("_id"))
    return str(capfirst(field.verbose_name))


def state(record: Model) -> Values:
    """Return what is stored of record, as the history has it."""
    now = {name: _plain(value) for name, value in stored.values(record).items()}
    return now | (_links([record.pk])[record.pk] if isinstance(record, Event) else {})


@contextmanager
def comparing(ids: Collection[int]) -> Iterator[None]:
    """Keep what the block changes of stored events in bulk, whose IDs are these."""
    before = _states(ids)
    yield
    for pk, (event, now) in _states(ids).items():
        if pk in before and (changes := _changes(before[pk][1], now, now)):
            _note(event, Verb.CHANGED, changes)


def prune() -> int:
    """Delete the changes whose time is over; return their number."""
    oldest = timezone.now() - dt.timedelta(days=conf.HISTORY_DAYS)
    return Change.objects.filter(at__lt=oldest).exclude(kind="").delete()[0]


def _states(ids: Collection[int]) -> dict[int, tuple[Event, Values]]:
    """Return the events with these IDs, each with its values and links."""
    linked = _links(ids)
    found = Event.objects.filter(pk__in=ids)
    return {event.pk: (event, stored.values(event) | linked[event.pk]) for event in found}


def _links(ids: Collection[int]) -> defaultdict[int, Values]:
    linked: defaultdict[int, Values] = defaultdict(lambda: {name: [] for name in LINKS})
    for name, (through, column) in LINKS.items():
        links = through.objects.filter(event__in=ids)
        in_order = links.order_by("event_id", column if name in SETS else "position", "id")
        for pk, linked_id in in_order.values_list("event_id", column):
            linked[pk][name].append(linked_id)
    return linked


def _changes(before: Values, now: Values, names: Iterable[str]) -> Values:
    """Return what has changed of these fields, as {field: [before, after]}."""
    return {
        name: _kept(name, before[name], now[name])
        for name in names
        if name in before and before[name] != now[name]
    }


def _kept(name: str, before: Any, now: Any) -> list[Any]:
    if name == "password":
        return ["set" if before else "", "set anew" if before and now else "set" if now else ""]
    if name in LINKS:
        return [_ids(name, before), _ids(name, now)]
    return [_plain(before), _plain(now)]


def _ids(name: str, ids: Iterable[int]) -> list[int]:
    return sorted(ids) if name in SETS else [*ids]


def _plain(value: Any) -> Any:
    """Return a value in the form in which JSON has it."""
    return value.isoformat() if isinstance(value, dt.datetime) else value


def _defaults(model: type[Model]) -> Values:
    return stored.values(model())


def _note(record: Model, verb: Verb, changes: Values) -> None:
    kind = str(record._meta.model_name)
    title = str(record)[:TITLE]
    note_change(Change(kind=kind, record_id=record.pk, verb=verb, title=title, values=changes))
