"""Messages on their way: each is tried until its receiver takes it, or is given up.

Everything is in their rows, so that a restarted worker goes on, and of several workers one sends.
If one dies while it sends, the message is sent again: a receiver can tell by its ID.
"""

import datetime as dt
import logging
import secrets
import time
from typing import Any

from django.db.models import F
from django.utils import timezone

from ..exceptions import WrongState
from ..lib.bulk import delete_in_batches
from ..lib.formatting import storable
from ..models import AlertDelivery, AlertRule
from . import mail, webhook
from .errors import SendError

Status = AlertDelivery.Status
# After the first attempt, as the specification of Standard Webhooks recommends.
PAUSES = [
    *(dt.timedelta(seconds=5), dt.timedelta(minutes=5), dt.timedelta(minutes=30)),
    *(dt.timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
]
LEASE = dt.timedelta(minutes=5)  # far more than an attempt takes
AT_ONCE = 200
KEEP_FOR = dt.timedelta(days=90)
KEPT_ATTEMPTS = 20
SENDERS = {AlertRule.Channel.MAIL: mail.send, AlertRule.Channel.WEBHOOK: webhook.send}
TITLE_LENGTH = AlertDelivery._meta.get_field("title").max_length
logger = logging.getLogger(__name__)


def add(
    rule: AlertRule, event: str, title: str, text: str = "", data: dict[str, Any] | None = None
) -> AlertDelivery:
    """Make a message, which a worker sends within seconds."""
    title, now = " ".join(storable(title).split())[:TITLE_LENGTH], timezone.now()
    told = {"title": title, "text": storable(text), "rule": rule.name}
    body = {"type": str(event), "timestamp": now.isoformat(), "data": {**told, **(data or {})}}
    name = f"msg_{secrets.token_urlsafe(16)}"
    fields = {"event": str(event), "title": title, "body": body, "message_id": name}
    return AlertDelivery.objects.create(rule=rule, created=now, due=now, **fields)


def send_test(rule: AlertRule) -> AlertDelivery:
    """Make a message that only says that a rule's messages arrive."""
    return add(rule, "test", f"A test of the rule '{rule}'.", "Messages of this rule arrive.")


def send_again(delivery: AlertDelivery) -> None:
    """Send a message again, with all attempts anew; raises WrongState while it is waiting."""
    ended = AlertDelivery.objects.filter(pk=delivery.pk).exclude(status=Status.WAITING)
    if not ended.update(status=Status.WAITING, due=timezone.now(), tries=0, sent=None):
        raise WrongState(f"Message '{delivery}' is on its way already.")


def send_due() -> int:
    """Try to send each message that is due; return how many arrived.

    Once a receiver fails, its other messages wait for the next round: it must not hold up those of
    others.
    """
    waiting = AlertDelivery.objects.filter(status=Status.WAITING, due__lte=timezone.now())
    failing: set[int] = set()
    sent = 0
    for delivery in waiting.select_related("rule").order_by("due", "pk")[:AT_ONCE]:
        if delivery.rule_id not in failing and _claim(delivery):
            if _send(delivery):
                sent += 1
            else:
                failing.add(delivery.rule_id)
    return sent


def forget_old() -> int:
    """Delete the messages that ended long ago; return how many."""
    ended = AlertDelivery.objects.exclude(status=Status.WAITING)
    return delete_in_batches(ended.filter(created__lt=timezone.now() - KEEP_FOR).order_by("pk"))


def _claim(delivery: AlertDelivery) -> bool:
    mine = AlertDelivery.objects.filter(pk=delivery.pk, status=Status.WAITING, due=delivery.due)
    delivery.tries += 1
    return mine.update(due=timezone.now() + LEASE, tries=F("tries") + 1) == 1


def _send(delivery: AlertDelivery) -> bool:
    begun = time.monotonic()
    is_final = False
    try:
        outcome = SENDERS[AlertRule.Channel(delivery.rule.channel)](delivery)
    except SendError as e:
        is_sent, outcome, is_final = False, str(e), e.is_final
    except Exception:
        logger.exception("Alert %s could not be sent.", delivery.pk)
        is_sent, outcome = False, "It failed unexpectedly. The server's log says why."
    else:
        is_sent = True
    _note(delivery, outcome, time.monotonic() - begun, is_sent=is_sent, is_final=is_final)
    return is_sent


def _note(
    delivery: AlertDelivery, outcome: str, seconds: float, *, is_sent: bool, is_final: bool
) -> None:
    now = timezone.now()
    attempt = {
        "time": now.isoformat(),
        "outcome": storable(outcome)[:500],
        "seconds": round(seconds, 3),
    }
    attempts = [*delivery.attempts, attempt][-KEPT_ATTEMPTS:]
    fields: dict[str, Any] = {"attempts": attempts}
    if is_sent:
        fields |= {"status": Status.SENT, "sent": now}
    elif is_final or delivery.tries > len(PAUSES):
        fields["status"] = Status.GIVEN_UP
        logger.error("Alert %s is given up: %s", delivery.pk, attempt["outcome"])
    else:
        fields["due"] = now + PAUSES[delivery.tries - 1]
        logger.warning("Alert %s did not arrive yet: %s", delivery.pk, attempt["outcome"])
    AlertDelivery.objects.filter(pk=delivery.pk).update(**fields)
