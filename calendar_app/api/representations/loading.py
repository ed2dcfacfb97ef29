"""Loads records with all that their representations show, in a fixed number of queries.

Only the IDs in these queries differ between requests, so they are compiled once: that saves almost
half the time of loading fifty events (``lib.compiled_queries``).
"""

from collections import defaultdict
from functools import lru_cache
from typing import NamedTuple

from django.db.models import F

from ... import permissions
from ...lib.compiled_queries import CompiledQuery
from ...models import Category, Event, Image, Organizer, Post, Tag, Venue

BY_NAME = ("name", "id")
BY_POSITION = ("event_links__position", "event_links__id")


class Linked(NamedTuple):
    """The records that an event is linked to and the reader may see."""

    categories: list[Category]
    tags: list[Tag]
    venues: list[Venue]
    organizers: list[Organizer]


def fetch(model, ids, user):
    """Return the records with these IDs, in this order, loaded for user; skip unknown IDs."""
    found = {record.pk: record for record in _by_id(model, ids)}
    return load([found[pk] for pk in ids if pk in found], user)


def load(records, user):
    """Return records as a list, each with its image, and each event with its ``linked`` records."""
    records = list(records)
    shown = [record for record in records if isinstance(record, Post)]
    events = [record for record in shown if isinstance(record, Event)]
    if events:
        shown += _load_links(events, user)
    _load_images(shown)
    return records


def _load_links(events, user):
    """Set ``linked`` of each event; return all venues and organizers among them."""
    ids = [event.pk for event in events]
    terms = [_linked(model, "events", BY_NAME, ids) for model in (Category, Tag)]
    # An event that was written a moment ago knows what it was linked to.
    known = vars(events[0]).pop("just_linked", {}) if len(events) == 1 else {}
    posts = [_linked_posts(model, ids, known.get(model), user) for model in (Venue, Organizer)]
    kinds = [_by_event(links) for links in (*terms, *posts)]
    for event in events:
        event.linked = Linked(*(kind[event.pk] for kind in kinds))
    return {post for links in posts for _, post in links}


def _linked_posts(model, ids, known, user):
    if known is None:
        links = _linked(model, "event_links__event", BY_POSITION, ids)
    else:
        links = [(pk, post) for pk in ids for post in dict.fromkeys(known)]
    # Checked in Python, since SQL with a condition on the user would be compiled for each user.
    return [
        (event, post)
        for event, post in links
        if not post.is_trashed and permissions.may_read(user, post)
    ]


def _linked(model, path, order, ids):
    """Return (event ID, record) for each link; events share the records."""
    known = {}
    rows = _query(model, path, order, len(ids))(ids)
    return [(row.of_event, known.setdefault(row.pk, row)) for row in rows]


def _by_event(links):
    found = defaultdict(list)
    for event, record in links:
        found[event].append(record)
    return found


def _load_images(records):
    ids = {record.image_id for record in records if record.image_id}
    images = {image.pk: image for image in _by_id(Image, list(ids))}
    for record in records:
        record.image = images.get(record.image_id)


def _by_id(model, ids):
    return _query(model, "pk", (), len(ids))(ids) if ids else []


@lru_cache(maxsize=512)
def _query(model, path, order, number):
    """Return the query for this number of IDs, its only parameters, at a path from model."""
    # Placeholders for the IDs; Django would drop repeated ones.
    records = model.objects.filter(**{f"{path}__in": range(number)}).order_by(*order)
    if path != "pk":
        records = records.annotate(of_event=F(path))
    return CompiledQuery(records)
