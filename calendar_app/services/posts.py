"""The verbs of events, venues and organizers: save, trash, restore, publish."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from django.apps import apps
from django.db import router
from django.db.models import Model
from django.db.models.signals import ModelSignal, post_save, pre_save
from django.utils import timezone

from .. import permissions
from ..exceptions import Gone, RecordNotFound
from ..lib.tasks import task
from ..models import Event, Organizer, Post, Status, Venue
from ..models.post import changed
from ..permissions import User
from ..values.slugs import slug_of, unique_slug, unique_slugs
from .actor import WORKER, acting
from .history import lost_links
from .history.stored import note_stored, noted
from .revision import touch, writing


def settle_status(post: Post, user: User, now: dt.datetime | None = None) -> None:
    """Adjust the status of post to the rights of user and to the publication date.

    Users who may not publish get ``pending`` instead of ``publish``, ``future`` and ``private``. A
    published record with a future date becomes ``future``, and the reverse.
    """
    now = now or timezone.now()
    if post.status in permissions.PUBLIC_STATUSES and not permissions.may_publish(user, type(post)):
        post.status = Status.PENDING
    elif post.status == Status.PUBLISH and post.date_utc and post.date_utc > now:
        post.status = Status.FUTURE
    elif post.status == Status.FUTURE and (not post.date_utc or post.date_utc <= now):
        post.status = Status.PUBLISH


def default_status(model: type[Post], user: User) -> Status:
    """Return the status of a new record for which user gives none."""
    return Status.PUBLISH if permissions.may_publish(user, model) else Status.DRAFT


def save(post: Post) -> None:
    """Store post with a unique slug; schedule the publication of one with the status future."""
    # A venue or an organizer that exists is shown in any number of events.
    with writing(precise=post.pk is None or isinstance(post, Event)):
        if post.slug and not _has_stored_slug(post):
            post.slug = unique_slug(post, post.slug, type(post).objects.untrashed())
        post.save()
        touch(type(post), [post.pk])
        if post.status == Status.FUTURE:
            _publish_later(post)


def save_new(new: Sequence[Post]) -> None:
    """Store new posts of one model as ``save`` does, in a few queries for all of them."""
    model = type(new[0])
    with writing(precise=True):
        names = [post.slug or getattr(post, post.title_field) for post in new]
        bases = [slug_of(name) or str(model._meta.model_name) for name in names]
        slugs = unique_slugs(bases, model.objects.untrashed())
        for post, slug in zip(new, slugs, strict=True):
            post.slug = slug
            post.prepare()
            _send(pre_save, post)
        model.objects.bulk_create(new)
        touch(model, [post.pk for post in new])
        for post in new:
            _send(post_save, post, created=True)
            if post.status == Status.FUTURE:
                _publish_later(post)


def make_named(model: type[Venue] | type[Organizer], name: str, author: Any) -> Venue | Organizer:
    """Store and return a new venue or organizer of author with this name."""
    post = model(name=name, author=author, status=default_status(model, author))
    save(post)
    return post


def trash(post: Post) -> None:
    """Move post to the trash, which frees its slug and removes it from the events it is linked to.

    Raises Gone when it is there already.
    """
    with writing(precise=isinstance(post, Event)):
        reload(post)
        touch(type(post), [post.pk])
        if post.is_trashed:
            raise Gone(post._meta.model_name, post.pk, "is-in-trash")
        post.status_before_trash, post.status = post.status, Status.TRASH
        post.save()
        _after_status_change(post)


def restore(post: Post, user: User) -> None:
    """Take post out of the trash with its previous status; do nothing if it is not there."""
    with writing(precise=isinstance(post, Event)):
        reload(post)
        if post.is_trashed:
            _give_status(post, user, post.status_before_trash or Status.DRAFT)


def publish(post: Post, user: User) -> None:
    """Publish post, or schedule it if its publication date is in the future."""
    with writing(precise=isinstance(post, Event)):
        reload(post)
        _give_status(post, user, Status.PUBLISH)


def publish_if_due(model: type[Post], pk: int, now: dt.datetime | None = None) -> bool:
    """Publish the scheduled record if its date has come; return whether it was published."""
    with writing(precise=model is Event):
        touch(model, [pk])
        post = model.objects.filter(pk=pk, status=Status.FUTURE).first()
        if post is None or post.date_utc > (now or timezone.now()):
            return False
        post.status = Status.PUBLISH
        post.save()
        _after_status_change(post)
        return True


# Queues store the path of a task: if it moves, the old path must keep working (tasks.py).
@task()
@acting(door=WORKER)
def publish_when_due(model_name: str, pk: int) -> bool:
    """Publish a scheduled record; a postponed one has a later task of its own."""
    return publish_if_due(apps.get_model("calendar_app", model_name), pk)


def clear_author(sender: type[Model], instance: Any, **kwargs: Any) -> None:
    """Signal receiver: clear the author of the records of a user who is being deleted.

    The foreign key does so too (SET_NULL), but without a change date, by which mirrors read.
    """
    with writing():
        lost_links.keep(instance)
        for model in (Event, Venue, Organizer):
            model.objects.filter(author=instance).update(author=None, **changed())


def mark_fixture_changed(
    sender: type[Model], instance: Model, raw: bool = False, **kwargs: Any
) -> None:
    """Signal receiver: mark what a fixture loads as changed now, so that mirrors read it."""
    if raw:
        sender._base_manager.filter(pk=instance.pk).update(**changed())


def reload(post: Post) -> None:
    """Reload post behind the lock: the caller's copy may be stale. Raises RecordNotFound."""
    try:
        post.refresh_from_db()
    except type(post).DoesNotExist as e:
        raise RecordNotFound(post._meta.model_name, post.pk) from e
    note_stored(post)


def _has_stored_slug(post: Post) -> bool:
    """Return whether post is known to have its slug already, which one in the trash does not."""
    return bool(post.slug == noted(post, "slug") and noted(post, "status") != Status.TRASH)


def _give_status(post: Post, user: User, status: str) -> None:
    post.status, post.status_before_trash = status, ""
    settle_status(post, user)
    save(post)
    _after_status_change(post)


def _send(signal: ModelSignal, post: Post, **known: Any) -> None:
    """Tell those who listen to each save, of whom ``bulk_create`` knows nothing."""
    using = router.db_for_write(type(post))
    signal.send(type(post), instance=post, raw=False, using=using, update_fields=None, **known)


def _publish_later(post: Post) -> None:
    publish_when_due.using(run_after=post.date_utc).enqueue(str(post._meta.model_name), post.pk)


def _after_status_change(post: Post) -> None:
    if isinstance(post, Venue | Organizer) and post.is_trashed:
        lost_links.keep(post)
        post.event_links.all().delete()
