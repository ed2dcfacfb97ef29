"""Sends messages, and sends them again until they arrive or are given up."""

import base64
import datetime as dt
import logging
import secrets
import time

from django.utils import timezone
from standardwebhooks.webhooks import Webhook as Signer

from ..conf import conf
from ..lib import fetch
from ..lib.fetch import FetchError, Target
from ..lib.tasks import task
from ..models import Webhook, WebhookDelivery

Status = WebhookDelivery.Status
# After the first attempt, as the specification of Standard Webhooks recommends.
PAUSES = [
    *(dt.timedelta(seconds=5), dt.timedelta(minutes=5), dt.timedelta(minutes=30)),
    *(dt.timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
]
SECONDS = 15  # for an attempt
GONE = 410  # the receiver wants no more
SECRET_BYTES = 32

logger = logging.getLogger(__name__)


def new_secret() -> str:
    """Return a random secret for signatures."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()}"


def replace_secret(webhook: Webhook) -> None:
    """Give a webhook another secret; what is sent from now on is signed with it."""
    webhook.secret = new_secret()
    webhook.save(update_fields=["secret"])


def refusal(delivery: WebhookDelivery) -> str:
    """Return why a message must not be sent to its webhook as that is now; "" if it may."""
    if not delivery.webhook.is_active:
        return "The webhook is not active."
    if delivery.sees_all and not delivery.webhook.sees_all:
        return "It shows what the public may not see, which this webhook is no longer told."
    return ""


def send_again(delivery: WebhookDelivery) -> None:
    """Send a message again, with all attempts anew."""
    WebhookDelivery.objects.filter(pk=delivery.pk).update(
        status=Status.WAITING, attempts=0, next_attempt=None, delivered=None
    )
    deliver.enqueue(delivery.pk, 0)


def prune() -> int:
    """Delete the deliveries whose time is over; return their number."""
    oldest = timezone.now() - dt.timedelta(days=conf.WEBHOOK_LOG_DAYS)
    return WebhookDelivery.objects.filter(created__lt=oldest).delete()[0]


# Queues store the path of a task: if it moves, the old path must keep working.
@task()
def deliver(pk: int, attempt: int) -> bool:
    """Make one attempt to send a message; return whether it arrived. A failed one is repeated."""
    waiting = WebhookDelivery.objects.filter(pk=pk, status=Status.WAITING, attempts=attempt)
    delivery = waiting.select_related("webhook").first()
    if delivery is None:
        return False  # sent by another task
    delivery.attempts, delivery.next_attempt = attempt + 1, None
    _try(delivery)
    fields = ("status", "attempts", "outcome", "next_attempt", "delivered")
    noted = waiting.update(**{name: getattr(delivery, name) for name in fields})
    if noted and delivery.next_attempt:
        deliver.using(run_after=delivery.next_attempt).enqueue(pk, attempt + 1)
    return delivery.status == Status.DELIVERED


def _try(delivery: WebhookDelivery) -> None:
    """Send a message and set the outcome."""
    if why := refusal(delivery):
        delivery.status, delivery.outcome = Status.FAILED, why
        return
    webhook, is_final = delivery.webhook, False
    try:
        status = _post(delivery)
        is_sent, outcome = 200 <= status < 300, f"The receiver answered with status {status}."
        is_final = status == GONE
    except FetchError as e:
        is_sent, outcome = False, str(e)
    delivery.outcome = outcome[:500]
    if is_sent:
        delivery.status, delivery.delivered = Status.DELIVERED, timezone.now()
        return
    logger.warning("Webhook %s has not got message %s: %s", webhook.pk, delivery.pk, outcome)
    if is_final:
        webhook.is_active = False
        webhook.save(update_fields=["is_active"])
    if is_final or delivery.attempts > len(PAUSES):
        delivery.status = Status.FAILED
    else:
        delivery.next_attempt = timezone.now() + PAUSES[delivery.attempts - 1]


def _post(delivery: WebhookDelivery) -> int:
    """Send a message; return the status of the answer, of which nothing else is read."""
    now = timezone.now()
    signature = Signer(delivery.webhook.secret).sign(delivery.message_id, now, delivery.body)
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "calendar-webhooks",
        "webhook-id": delivery.message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": signature,
    }
    target, deadline = Target.parse(delivery.webhook.url), time.monotonic() + SECONDS
    with fetch.open_response(
        target,
        deadline,
        networks=conf.webhook_networks,
        headers=headers,
        body=delivery.body.encode(),
    ) as response:
        return int(response.status)
