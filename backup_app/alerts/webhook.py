"""Messages as webhooks, signed as Standard Webhooks says: https://www.standardwebhooks.com."""

import base64
import json
import secrets

from django.utils import timezone
from standardwebhooks.webhooks import Webhook

from ..conf import conf
from ..lib import posting
from ..models import AlertDelivery, AlertRule
from .errors import SendError

SECONDS = 10
GONE = 410  # the receiver wants no more
SECRET_BYTES = 32


def new_secret() -> str:
    """Return a random secret for signatures."""
    return f"whsec_{base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()}"


def renew_secret(rule: AlertRule) -> None:
    """Give a rule another secret; what is sent from now on is signed with it."""
    AlertRule.objects.filter(pk=rule.pk).update(secret=new_secret())


def send(delivery: AlertDelivery) -> str:
    """Send a message to the URL of its rule; return what happened. Raises SendError."""
    body = json.dumps(delivery.body, separators=(",", ":"))
    headers = {"Content-Type": "application/json", "User-Agent": "backup-alerts"}
    try:
        status = posting.post(
            delivery.rule.target,
            body.encode(),
            headers | _signature(delivery, body),
            networks=conf.webhook_networks,
            seconds=SECONDS,
        )
    except posting.PostError as e:
        raise SendError(str(e)) from e
    if not 200 <= status < 300:
        raise SendError(f"The receiver answered with status {status}.", is_final=status == GONE)
    return f"status {status}"


def _signature(delivery: AlertDelivery, body: str) -> dict[str, str]:
    now = timezone.now()
    signature = Webhook(delivery.rule.secret).sign(delivery.message_id, now, body)
    return {
        "webhook-id": delivery.message_id,
        "webhook-timestamp": str(int(now.timestamp())),
        "webhook-signature": signature,
    }
