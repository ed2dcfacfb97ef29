"""What a write does to events, for those who see all and for the public.

Each event has one message for each write; what it was before and is at the end decides which.
"""

import secrets
from typing import Any

from django.db.models import Model
from django.utils import timezone

from ..models import Event, Revision, Status, Webhook
from ..models.webhook import EventType
from ..services import revision, tombstones
from ..services.revision import EventChange, Write
from ..services.tombstones import Listing
from .messages import make_messages


def after_save(
    sender: type[Model], instance: Event, created: bool, raw: bool = False, **kwargs: Any
) -> None:
    """Signal receiver: note that an event was created or changed."""
    now = tombstones.listing(instance)
    if not raw:
        _note(instance.pk, None if created else tombstones.listing_before(instance) or now, now)


def after_delete(sender: type[Model], instance: Event, **kwargs: Any) -> None:
    """Signal receiver: note that an event was deleted permanently."""
    _note(instance.pk, tombstones.listing(instance), None)


def _note(pk: int, was: Listing | None, now: Listing | None) -> None:
    if revision.is_writing():
        revision.note_event(pk, was, now)
    elif revision.current().has_webhooks:
        with revision.writing():
            revision.note_event(pk, was, now)


def announce(sender: Any, write: Write, **kwargs: Any) -> None:
    """Signal receiver: queue the messages on what a write that is about to end has changed."""
    told = [
        (pk, f"msg_{secrets.token_urlsafe(16)}", kind, public_type(change))
        for pk, change in write.events.items()
        if (kind := full_type(change))
    ]
    if told:
        # In the transaction of the write, so that there is neither without the other.
        make_messages.enqueue(timezone.now().isoformat(), told)


def full_type(change: EventChange) -> str | None:
    """Return what happened in the eyes of those who see every event."""
    was, now = change
    if now is None or now.status == Status.TRASH:
        return EventType.DELETED if was and was.status != Status.TRASH else None
    if was is None:
        return EventType.CREATED
    if was.is_public != now.is_public:
        return EventType.PUBLISHED if now.is_public else EventType.WITHDRAWN
    return EventType.CHANGED


def public_type(change: EventChange) -> str | None:
    """Return what happened in the eyes of the public; None for nothing."""
    was, now = change
    if now and now.is_public:
        if was is None:
            return EventType.CREATED
        return EventType.CHANGED if was.is_public else EventType.PUBLISHED
    if was and was.is_public:
        is_there = now and now.status != Status.TRASH
        return EventType.WITHDRAWN if is_there else EventType.DELETED
    return None


def note_webhooks(sender: type[Model], **kwargs: Any) -> None:
    """Signal receiver: note at the revision, which each write reads, whether there are webhooks."""
    exist = Webhook.objects.filter(is_active=True).exists()
    Revision.objects.update_or_create(pk=1, defaults={"has_webhooks": exist})
