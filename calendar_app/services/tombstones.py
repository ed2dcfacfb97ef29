"""Tombstones tell the mirrors of a list which records it no longer has.

A record leaves the public's lists when it is unpublished or hidden, and those of its author and of
editors when it is trashed or hidden.
"""

import datetime as dt
from typing import NamedTuple

from django.db.models import Q
from django.utils import timezone

from .. import permissions
from ..models import Event, Status, Tombstone
from ..models.tombstone import Audience


class Standing(NamedTuple):
    """What decides who finds a record in lists, and the start of an event."""

    status: str
    author_id: int | None
    is_hidden: bool = False
    start_utc: dt.datetime | None = None

    @property
    def is_public(self):
        return self.status == Status.PUBLISH and not self.is_hidden

    @property
    def is_listed(self):
        return self.status != Status.TRASH and not self.is_hidden


OF_AUTHOR = Q(audience=Audience.AUTHOR)
POST_COLUMNS, EVENT_COLUMNS = ("status", "author_id"), ("hide_from_listings", "start_utc")
DECISIVE = {*POST_COLUMNS, *EVENT_COLUMNS, "author"}
NOWHERE = Standing(Status.TRASH, None)


def remember(sender, instance, update_fields=None, **kwargs):
    """Signal receiver: note who finds a record before it is saved."""
    if instance.pk and (update_fields is None or update_fields & DECISIVE):
        columns = POST_COLUMNS + (EVENT_COLUMNS if sender is Event else ())
        row = sender._base_manager.filter(pk=instance.pk).values_list(*columns).first()
        instance._stood = row and Standing(*row)


def follow(sender, instance, **kwargs):
    """Signal receiver: leave a tombstone for those who no longer find a saved record."""
    if before := instance.__dict__.pop("_stood", None):
        _tell(instance, before, _standing(instance))


def bury(sender, instance, **kwargs):
    """Signal receiver: leave a tombstone for those who found a record that was deleted."""
    _tell(instance, _standing(instance), NOWHERE)


def lost_by(user, model, statuses):
    """Return the tombstones of model that concern user in a list of these statuses.

    Some of the records may be back in the list.
    """
    found = Tombstone.objects.filter(kind=model._meta.model_name)
    public = Q(audience=Audience.PUBLIC)
    if statuses == {Status.PUBLISH} or not permissions.may_write(user, model):
        return found.filter(public)
    if permissions.may_edit_others(user, model):
        return found.filter(audience=Audience.WRITERS)
    own = Q(author=user)
    return found.filter((public & ~own) | (~public & own))


def _standing(post):
    columns = POST_COLUMNS + (EVENT_COLUMNS if isinstance(post, Event) else ())
    return Standing(*(getattr(post, column) for column in columns))


def _tell(post, before, now):
    if now.is_public:
        if not before.is_public:
            _of(post).delete()
        return
    if before.is_public:
        _add(post, Audience.PUBLIC, before)
    if before.is_listed and not now.is_listed:
        _add(post, Audience.WRITERS, before)
    elif now.is_listed and before.author_id not in {None, now.author_id}:
        _add(post, Audience.AUTHOR, before)


def _of(post):
    return Tombstone.objects.filter(kind=post._meta.model_name, record_id=post.pk)


def _add(post, audience, before):
    """Add a tombstone in place of earlier ones of the same record and readers."""
    same = {
        Audience.PUBLIC: Q(audience=Audience.PUBLIC),
        Audience.WRITERS: Q(audience=Audience.WRITERS) | OF_AUTHOR & Q(author=before.author_id),
        Audience.AUTHOR: ~Q(audience=Audience.PUBLIC) & Q(author=before.author_id),
    }
    _of(post).filter(same[audience]).delete()
    Tombstone.objects.create(
        kind=post._meta.model_name,
        record_id=post.pk,
        audience=audience,
        author_id=before.author_id,
        modified_utc=timezone.now().replace(microsecond=0),
        source_id=post.source_id or "",
        start_utc=before.start_utc,
    )
