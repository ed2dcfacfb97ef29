"""New events that one write stores together, in a few queries for all of them."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from ..models import Event, EventOrganizer, EventVenue
from . import counts, history, posts, tombstones
from .revision import collected, collecting

Links = Mapping[str, Iterable[Any] | None]
IN_ORDER = {EventVenue, EventOrganizer}


@contextmanager
def together() -> Iterator[None]:
    """Store the new events of a block of ``writing`` at its end; until then they have no IDs."""
    with collecting() as new:
        yield
    if new:
        _store(new)


def keep(event: Event, links: Links) -> bool:
    """Keep a new event and its links for the end of the block; return whether there is one."""
    new = collected()
    if new is None:
        return False
    new.append((event, links))
    return True


def _store(new: list[tuple[Event, Links]]) -> None:
    posts.save_new([event for event, _ in new])
    for name, (through, column) in history.LINKS.items():
        through.objects.bulk_create(_links(new, name, through, column))
    listed = [event.pk for event, _ in new if tombstones.listing(event).is_counted]
    counts.change_all(listed, 1)


def _links(
    new: list[tuple[Event, Links]], name: str, through: type[Any], column: str
) -> Iterator[Any]:
    """Yield the links of this kind, and keep them as history."""
    for event, links in new:
        ids = list(dict.fromkeys(record.pk for record in links[name] or ()))
        if ids:
            history.note_links(event, name, [], ids)
        for position, pk in enumerate(ids):
            place = {"position": position} if through in IN_ORDER else {}
            yield through(event=event, **{column: pk}, **place)
