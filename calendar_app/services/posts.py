"""The verbs of events, venues and organizers: save, trash, restore, publish."""

from django.apps import apps
from django.utils import timezone

from .. import permissions
from ..exceptions import Gone, NotFound
from ..lib.tasks import task
from ..models import Event, Organizer, Post, Status, Venue
from ..models.post import changed
from ..values.slugs import unique_slug
from . import terms
from .revision import writing


def settle_status(post, user, now=None):
    """Give post the status that user may give it and that its publication date asks for.

    Who may not publish gets ``pending`` for ``publish``, ``future`` and ``private``. A published
    record with a date to come is ``future``, a ``future`` one whose date has come ``publish``.
    """
    now = now or timezone.now()
    if post.status in permissions.PUBLIC_STATUSES and not permissions.may_publish(user, type(post)):
        post.status = Status.PENDING
    elif post.status == Status.PUBLISH and post.date_utc and post.date_utc > now:
        post.status = Status.FUTURE
    elif post.status == Status.FUTURE and (not post.date_utc or post.date_utc <= now):
        post.status = Status.PUBLISH


def first_status(model, user):
    """Return the status of a new record of user's of which nothing is said."""
    return Status.PUBLISH if permissions.may_publish(user, model) else Status.DRAFT


def save(post: Post):
    """Store post with a slug of its own; one that is to be published later is put on the clock."""
    with writing():
        if post.slug:
            post.slug = unique_slug(post, post.slug, type(post).objects.untrashed())
        post.save()
        if post.status == Status.FUTURE:
            _publish_later(post)


def trash(post: Post):
    """Put post into the trash, where its slug is free and nothing links to it any more.

    Raises Gone when it is there already.
    """
    with writing():
        _read_anew(post)
        if post.is_trashed:
            kind = post._meta.model_name
            raise Gone(f"The {kind} {post.pk} is already in the trash.", code=f"{kind}-is-in-trash")
        post.status_before_trash, post.status = post.status, Status.TRASH
        post.save()
        _after_status_change(post)


def restore(post: Post, user):
    """Take post out of the trash, with the status that it had; leave it where it is elsewhere."""
    with writing():
        _read_anew(post)
        if post.is_trashed:
            _give_status(post, user, post.status_before_trash or Status.DRAFT)


def publish(post: Post, user):
    """Publish post, at its publication date if that is still to come."""
    with writing():
        _read_anew(post)
        _give_status(post, user, Status.PUBLISH)


def publish_if_due(model, pk, now=None):
    """Publish the scheduled record when its date has come; say whether that was done."""
    with writing():
        post = model.objects.filter(pk=pk, status=Status.FUTURE).first()
        if post is None or post.date_utc > (now or timezone.now()):
            return False
        post.status = Status.PUBLISH
        post.save()
        _after_status_change(post)
        return True


@task()
def publish_when_due(model_name: str, pk: int):
    """Publish a scheduled record; one that was put off meanwhile has a later task of its own."""
    return publish_if_due(apps.get_model("calendar_app", model_name), pk)


def disown(sender, instance, **kwargs):
    """Signal receiver: clear the author of the records of an account that is being deleted."""
    with writing():
        for model in (Event, Venue, Organizer):
            model.objects.filter(author=instance).update(author=None, **changed())


def mark_loaded(sender, instance, raw, **kwargs):
    """Signal receiver: mark what a fixture loads as changed now, so that mirrors read it."""
    if raw:
        sender._base_manager.filter(pk=instance.pk).update(**changed())


def _read_anew(post):
    """Make post what it is now, behind the lock; raises NotFound when it is no more."""
    try:
        post.refresh_from_db()
    except type(post).DoesNotExist as e:
        kind = post._meta.model_name
        raise NotFound(f"There is no {kind} {post.pk}.", code=f"rest-{kind}-not-found") from e


def _give_status(post, user, status):
    post.status, post.status_before_trash = status, ""
    settle_status(post, user)
    save(post)
    _after_status_change(post)


def _publish_later(post):
    publish_when_due.using(run_after=post.date_utc).enqueue(post._meta.model_name, post.pk)


def _after_status_change(post):
    if isinstance(post, Event):
        terms.recount_of([post.pk])
    elif post.is_trashed:
        post.event_links.all().delete()
