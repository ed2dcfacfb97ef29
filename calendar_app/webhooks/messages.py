"""Makes the messages on changed events, in the worker: no write waits for it.

A message shows its event as it is by then. What a reader may no longer see by then has no message:
another one, on its withdrawal, follows.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import orjson
from django.contrib.auth.models import AnonymousUser
from django.db import transaction

from ..api import representations
from ..api.representations import Urls
from ..conf import conf
from ..lib.tasks import task
from ..models import Event, Status, Webhook, WebhookDelivery
from ..models.webhook import EventType
from .deliveries import deliver

Told = Sequence[Any]  # ID of the event, ID of the message, full type, public type or None


class Insider(AnonymousUser):
    """A reader who may see everything."""

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        return True


class Readers:
    """The messages for webhooks that see everything, or for those that see what the public does."""

    def __init__(self, told: Sequence[Told], timestamp: str, *, sees_all: bool) -> None:
        self.told, self.timestamp, self.sees_all = told, timestamp, sees_all

    @cached_property
    def messages(self) -> list[dict[str, Any]]:
        """The messages, as the fields of their deliveries."""
        found = []
        for pk, message_id, full, public in self.told:
            kind = full if self.sees_all else public
            data = self._data(kind, pk)
            if data:
                body = {"type": kind, "timestamp": self.timestamp, "data": data}
                text = orjson.dumps(body, default=str).decode()
                found.append({"event_id": pk, "message_id": message_id, "type": kind, "body": text})
        return found

    def _data(self, kind: str | None, pk: int) -> dict[str, Any] | None:
        if kind is None:
            return None
        # To the public a withdrawn event is as good as deleted: nothing is shown but its ID.
        if kind == EventType.DELETED or (kind == EventType.WITHDRAWN and not self.sees_all):
            return {"id": pk, "status": Status.TRASH}
        return self._shown.get(pk)

    @cached_property
    def _shown(self) -> dict[int, dict[str, Any]]:
        """What these readers see of the events, by ID."""
        events = Event.objects.untrashed().filter(pk__in=[pk for pk, *_ in self.told])
        if not self.sees_all:
            events = events.published().filter(hide_from_listings=False)
        urls = Urls(conf.BASE_URL or "http://localhost")
        return {
            event.pk: representations.event(event, urls, redacted=self._redacted(event), full=False)
            for event in representations.load(
                events, Insider() if self.sees_all else AnonymousUser()
            )
        }

    def _redacted(self, event: Event) -> bool:
        return bool(event.password) and not self.sees_all


# Queues store the path of a task: if it moves, the old path must keep working.
@task()
def make_messages(timestamp: str, told: Sequence[Told]) -> int:
    """Make the messages on these events for each webhook, and queue them; may be repeated."""
    readers = {flag: Readers(told, timestamp, sees_all=flag) for flag in (False, True)}
    made = 0
    for webhook in Webhook.objects.filter(is_active=True):
        wanted = [m for m in readers[webhook.sees_all].messages if m["type"] in webhook.types]
        with transaction.atomic():
            made += len(_queued(webhook, wanted))
    return made


def _queued(webhook: Webhook, messages: Sequence[dict[str, Any]]) -> list[WebhookDelivery]:
    known = webhook.deliveries.filter(message_id__in=[m["message_id"] for m in messages])
    made = set(known.values_list("message_id", flat=True))
    new = [
        WebhookDelivery(webhook=webhook, sees_all=webhook.sees_all, **message)
        for message in messages
        if message["message_id"] not in made
    ]
    for delivery in WebhookDelivery.objects.bulk_create(new):
        deliver.enqueue(delivery.pk, 0)
    return new
