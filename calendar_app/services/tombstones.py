"""Tombstones tell mirrors which records have left a list.

A mirror that asks only for what has changed would otherwise keep records that it may no longer
show. A record leaves the public's lists when it is unpublished or hidden, and those of its author
and of editors when it is trashed or hidden. The receivers below compare who could see a record
before and after each save, whoever saves it.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from django.db.models import Model, Q, QuerySet
from django.utils import timezone

from .. import permissions
from ..models import Event, Post, Status, Tombstone
from ..models.tombstone import Audience
from ..permissions import User
from .history import stored


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


OF_AUTHOR = Q(audience=Audience.AUTHOR)
POST_COLUMNS = ("status", "author_id")
EVENT_COLUMNS = ("hide_from_listings", "start_utc", "password")
DELETED = Listing(Status.TRASH, None)


def after_save(sender: type[Model], instance: Post, **kwargs: Any) -> None:
    """Signal receiver: leave a tombstone for those who no longer find the record."""
    if before := listing_before(instance):
        _update(instance, before, listing(instance))


def after_delete(sender: type[Model], instance: Post, **kwargs: Any) -> None:
    """Signal receiver: leave a tombstone for those who could find the deleted record."""
    _update(instance, listing(instance), DELETED)


def listing_before(post: Post) -> Listing | None:
    """Return what decided, before the save that is going on, in whose lists post is."""
    before = stored.before(post)
    return None if before is None else Listing(*(before[name] for name in _columns(post)))


def listing(post: Post) -> Listing:
    """Return what decides in whose lists post is."""
    return Listing(*(getattr(post, column) for column in _columns(post)))


def _columns(post: Post) -> tuple[str, ...]:
    return POST_COLUMNS + (EVENT_COLUMNS if isinstance(post, Event) else ())


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
    note_changes([(post, before, now)])


def note_changes(changes: Iterable[tuple[Any, Listing, Listing]]) -> None:
    """Leave tombstones of posts of one model for those who no longer find them.

    Each change is a post, what decided in whose lists it was, and what does now.
    """
    returned, lost = [], defaultdict(list)
    for post, before, now in changes:
        if now.is_public and not before.is_public:
            returned.append(post)
        for audience in _losers(before, now):
            lost[audience, before.author_id].append((post, before))
    if returned:
        _of(returned).delete()
    for (audience, author), posts in lost.items():
        _add(posts, audience, author)


def _losers(before: Listing, now: Listing) -> Iterator[Audience]:
    """Yield who no longer finds a post."""
    if now.is_public:
        return
    if before.is_public:
        yield Audience.PUBLIC
    if before.is_listed and not now.is_listed:
        yield Audience.WRITERS
    elif now.is_listed and before.author_id not in {None, now.author_id}:
        yield Audience.AUTHOR


def _of(posts: Sequence[Post]) -> QuerySet[Tombstone]:
    ids = [post.pk for post in posts]
    return Tombstone.objects.filter(kind=posts[0]._meta.model_name, record_id__in=ids)


def _add(lost: Sequence[tuple[Post, Listing]], audience: Audience, author: int | None) -> None:
    """Add tombstones that replace earlier ones of the same records for the same readers."""
    same = {
        Audience.PUBLIC: Q(audience=Audience.PUBLIC),
        Audience.WRITERS: Q(audience=Audience.WRITERS) | OF_AUTHOR & Q(author=author),
        Audience.AUTHOR: ~Q(audience=Audience.PUBLIC) & Q(author=author),
    }
    _of([post for post, _ in lost]).filter(same[audience]).delete()
    Tombstone.objects.bulk_create(
        Tombstone(
            kind=str(post._meta.model_name),
            record_id=post.pk,
            audience=audience,
            author_id=author,
            modified_utc=timezone.now().replace(microsecond=0),
            source_id=_source_id(post),
            start_utc=before.start_utc,
        )
        for post, before in lost
    )


def _source_id(post: Post) -> str:
    """Return what names post in iCalendar: of a date of a series, the UID and RECURRENCE-ID."""
    if isinstance(post, Event) and post.series and post.original_start:
        return f"{post.series.uid}/{post.series.date_id(post.original_start)}"
    return post.source_id or ""
