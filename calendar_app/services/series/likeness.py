"""Gives the events of a series what one of them was given."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ...models import Event, Status
from ...models.post import changed
from .. import counts, tombstones
from ..revision import note_event
from .occurrences import LINKS, OWN, relisting

Links = dict[Any, dict[int, list[tuple[Any, ...]]]]


class Likeness:
    """What events have in common with one of them, stored, before it is changed.

    Events that were changed by themselves keep what they have for themselves.
    """

    def __init__(self, stored: Event, others: Sequence[Event]) -> None:
        self.stored = stored
        self.others = [event for event in others if not event.is_trashed]
        self._links = _links([stored, *others])

    def spread(self, event: Event) -> None:
        """Give the others what event, which is stored by now, no longer has as before."""
        ids = {pk for name in self._changed(event) for pk in self._give(name, event)}
        ids |= self._give_links(event)
        Event.objects.filter(pk__in=ids).update(**changed())
        for other in self.others:
            if other.pk in ids:
                now = tombstones.listing(other)
                note_event(other.pk, now, now)

    def _changed(self, event: Event) -> list[str]:
        names = [field.attname for field in Event._meta.concrete_fields]
        own = OWN | {"timezone", "all_day"}
        return [n for n in names if n not in own and getattr(event, n) != getattr(self.stored, n)]

    def _give(self, name: str, event: Event) -> set[int]:
        before, now = getattr(self.stored, name), getattr(event, name)
        fields = {name: now}
        if name == "status" and now == Status.FUTURE:
            fields |= {"date": event.date, "date_utc": event.date_utc}
        alike = [
            other
            for other in self.others
            if getattr(other, name) == before or not (other.is_override or name == "status")
        ]
        with relisting(alike):
            Event.objects.filter(pk__in=[other.pk for other in alike]).update(**fields)
        for other in alike:
            setattr(other, name, now)
        return {other.pk for other in alike}

    def _give_links(self, event: Event) -> set[int]:
        given: set[int] = set()
        links = _links([event])
        wanted: dict[Any, set[int]] = {}
        for through, rows in self._links.items():
            before, now = rows[self.stored.pk], links[through][event.pk]
            if before != now:
                wanted[through] = {
                    other.pk
                    for other in self.others
                    if not other.is_override or rows[other.pk] == before
                }
                given |= wanted[through]
        counted = {o.pk for o in self.others if o.pk in given and tombstones.listing(o).is_counted}
        counts.change_all(counted, -1)
        for through, ids in wanted.items():
            _replace(through, ids, links[through][event.pk])
        counts.change_all(counted, 1)
        return given


def _links(events: Sequence[Event]) -> Links:
    """Return the links of events: {table: {ID of the event: [values of the columns]}}."""
    ids = [event.pk for event in events]
    found: Links = {}
    for through, columns in LINKS:
        found[through] = defaultdict(list)
        rows = through.objects.filter(event__in=ids).order_by(*columns[::-1])
        for pk, *values in rows.values_list("event_id", *columns):
            found[through][pk].append(tuple(values))
    return found


def _replace(through: type[Any], ids: set[int], rows: list[tuple[Any, ...]]) -> None:
    columns = dict(LINKS)[through]
    through.objects.filter(event__in=ids).delete()
    through.objects.bulk_create(
        through(event_id=pk, **dict(zip(columns, row, strict=True)))
        for pk in sorted(ids)
        for row in rows
    )
