"""Messages as mail, by Django's own settings."""

from smtplib import SMTPException

from django.core.mail import EmailMessage, get_connection

from ..models import AlertDelivery
from .errors import SendError

SECONDS = 15  # that the mail server may take for each answer
# No answers of absence, as RFC 3834 says.
HEADERS = {"Auto-Submitted": "auto-generated", "X-Auto-Response-Suppress": "All"}


def send(delivery: AlertDelivery) -> str:
    """Send a message to the addresses of its rule; return what happened. Raises SendError."""
    addresses = delivery.rule.addresses
    message = EmailMessage(
        subject=delivery.title,
        body=_text(delivery),
        to=addresses,
        headers={**HEADERS, "Message-ID": f"<{delivery.message_id}@backup.invalid>"},
        connection=get_connection(timeout=SECONDS),
    )
    try:
        message.send()
    except (SMTPException, OSError) as e:
        raise SendError(f"The mail server did not take it: {e}.") from e
    return f"sent to {', '.join(addresses)}"


def _text(delivery: AlertDelivery) -> str:
    data = delivery.body["data"]
    parts = [delivery.title, data["text"], data.get("url", ""), _why(delivery)]
    return "\n\n".join(part for part in parts if part)


def _why(delivery: AlertDelivery) -> str:
    return f"-- \nYou receive this because of the alert rule '{delivery.rule}'."
