"""Loads records with all that their representations show, in the same few queries for any number.

A list is as fast as this is, so its queries are not compiled for each request: only the IDs differ.
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
    """What an event is linked to, as far as the reader may see it."""

    categories: list[Category]
    tags: list[Tag]
    venues: list[Venue]
    organizers: list[Organizer]


def fetch(model, ids, user):
    """Return the records with these IDs, in their order, loaded for user; unknown IDs are none."""
    found = {record.pk: record for record in _by_id(model, ids)}
    return load([found[pk] for pk in ids if pk in found], user)


def load(records, user):
    """Return records as a list, each with its image, each event with what it has ``linked``."""
    records = list(records)
    shown = [record for record in records if isinstance(record, Post)]
    events = [record for record in shown if isinstance(record, Event)]
    if events:
        shown += _load_links(events, user)
    _load_images(shown)
    return records


def _load_links(events, user):
    """Set ``linked`` of each event; return all venues and organizers in it."""
    ids = [event.pk for event in events]
    terms = [_linked(model, "events", BY_NAME, ids) for model in (Category, Tag)]
    posts = [_linked_posts(model, ids, user) for model in (Venue, Organizer)]
    kinds = [_by_event(links) for links in (*terms, *posts)]
    for event in events:
        event.linked = Linked(*(kind[event.pk] for kind in kinds))
    return {post for links in posts for _, post in links}


def _linked_posts(model, ids, user):
    links = _linked(model, "event_links__event", BY_POSITION, ids)
    # Asked of each record, since a condition on the user would be compiled for each user.
    return [
        (event, post)
        for event, post in links
        if not post.is_trashed and permissions.may_read(user, post)
    ]


def _linked(model, path, order, ids):
    """Return (event ID, record) for each link, the same record for the same row."""
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
    """Return the query for a number of IDs, its only parameters, at a path from model."""
    # The IDs stand in for others, so each has to be there once.
    records = model.objects.filter(**{f"{path}__in": range(number)}).order_by(*order)
    if path != "pk":
        records = records.annotate(of_event=F(path))
    return CompiledQuery(records)
