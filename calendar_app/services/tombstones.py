"""Tombstones tell mirrors which records have left a list.

A mirror that asks only for what has changed would otherwise keep records that it may no longer
show. A record leaves the public's lists when it is unpublished or hidden, and those of its author
and of editors when it is trashed or hidden. The receivers below compare who could see a record
before and after each save, whoever saves it.
"""

import datetime as dt
from collections.abc import Collection
from typing import Any, NamedTuple

from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from .. import permissions
from ..models import Event, Post, Status, Tombstone
from ..models.tombstone import Audience
from ..permissions import User


class Listing(NamedTuple):
    """What decides in whose lists a record is, and the start of an event."""

    status: str
    author_id: int | None
    is_hidden: bool = False
    start_utc: dt.datetime | None = None
    password: str = ""

    @property
    def is_counted(self) -> bool:
        """Whether the categories and tags of the event count it."""
        return self.is_public and not self.password

    @property
    def is_public(self) -> bool:
        return self.status == Status.PUBLISH and not self.is_hidden

    @property
    def is_listed(self) -> bool:
        return self.status != Status.TRASH and not self.is_hidden


class Stored(NamedTuple):
    """What is stored of a record before a save."""

    listing: Listing
    slug: str


OF_AUTHOR = Q(audience=Audience.AUTHOR)
POST_COLUMNS = ("status", "author_id")
EVENT_COLUMNS = ("hide_from_listings", "start_utc", "password")
DECISIVE = {*POST_COLUMNS, *EVENT_COLUMNS, "author"}
DELETED = Listing(Status.TRASH, None)


def before_save(
    sender: type[Model],
    instance: Any,
    update_fields: Collection[str] | None = None,
    **kwargs: Any,
) -> None:
    """Signal receiver: remember in whose lists the stored record is."""
    instance._listing_before = None
    if stored := instance.__dict__.pop("_stored", None):
        instance._listing_before = stored.listing
    elif instance.pk and (update_fields is None or DECISIVE.intersection(update_fields)):
        columns = POST_COLUMNS + (EVENT_COLUMNS if sender is Event else ())
        row = sender._base_manager.filter(pk=instance.pk).values_list(*columns).first()
        instance._listing_before = row and Listing(*row)


def after_save(sender: type[Model], instance: Post, **kwargs: Any) -> None:
    """Signal receiver: leave a tombstone for those who no longer find the record."""
    if before := listing_before(instance):
        _update(instance, before, listing(instance))


def after_delete(sender: type[Model], instance: Post, **kwargs: Any) -> None:
    """Signal receiver: leave a tombstone for those who could find the deleted record."""
    _update(instance, listing(instance), DELETED)


def listing_before(post: Post) -> Listing | None:
    """Return what decided, before the save that is going on, in whose lists post is."""
    return post.__dict__.get("_listing_before")


def note_stored(post: Post) -> None:
    """Note that post was just read inside ``writing``, so that saving it there need not read it."""
    post.__dict__["_stored"] = Stored(listing(post), post.slug)


def has_stored_slug(post: Post) -> bool:
    """Return whether post is known to have its slug already, which one in the trash does not."""
    stored: Stored | None = post.__dict__.get("_stored")
    return bool(stored and stored.slug == post.slug and stored.listing.status != Status.TRASH)


def listing(post: Post) -> Listing:
    """Return what decides in whose lists post is."""
    columns = POST_COLUMNS + (EVENT_COLUMNS if isinstance(post, Event) else ())
    return Listing(*(getattr(post, column) for column in columns))


def lost_by(user: User, model: type[Post], statuses: set[Status]) -> QuerySet[Tombstone]:
    """Return the tombstones of model that concern user in a list of these statuses.

    Some of the records may have returned to the list.
    """
    found = Tombstone.objects.filter(kind=model._meta.model_name)
    public = Q(audience=Audience.PUBLIC)
    if statuses == {Status.PUBLISH} or not permissions.may_write(user, model):
        return found.filter(public)
    if permissions.may_edit_others(user, model):
        return found.filter(audience=Audience.WRITERS)
    own = Q(author=user)
    return found.filter((public & ~own) | (~public & own))


def _update(post: Post, before: Listing, now: Listing) -> None:
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


def _of(post: Post) -> QuerySet[Tombstone]:
    return Tombstone.objects.filter(kind=post._meta.model_name, record_id=post.pk)


def _add(post: Post, audience: Audience, before: Listing) -> None:
    """Add a tombstone that replaces earlier ones of the same record for the same readers."""
    same = {
        Audience.PUBLIC: Q(audience=Audience.PUBLIC),
        Audience.WRITERS: Q(audience=Audience.WRITERS) | OF_AUTHOR & Q(author=before.author_id),
        Audience.AUTHOR: ~Q(audience=Audience.PUBLIC) & Q(author=before.author_id),
    }
    _of(post).filter(same[audience]).delete()
    Tombstone.objects.create(
        kind=str(post._meta.model_name),
        record_id=post.pk,
        audience=audience,
        author_id=before.author_id,
        modified_utc=timezone.now().replace(microsecond=0),
        source_id=post.source_id or "",
        start_utc=before.start_utc,
    )
