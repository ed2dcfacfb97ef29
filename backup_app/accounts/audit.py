"""The audit log: who did what, who was refused, and how often logins failed.

It is a record for people; ``throttling`` counts what limits logins.
"""

import datetime as dt
from typing import Any

from django.db.models import F
from django.utils import timezone

from ..lib.addresses import network_of
from ..lib.bulk import delete_in_batches
from ..models import AuditEntry

Outcome = AuditEntry.Outcome
KEEP_FOR = dt.timedelta(days=30)  # wrong logins, since strangers can add many
MAX_LOGINS = 100  # of one network in one hour that get rows of their own
OTHERS = "(others)"


def note(*, login: str, target: str, detail: str = "", **fields: Any) -> None:
    """Add a row; ``fields`` are account, address, operation and outcome.

    No argument may contain a secret.
    """
    texts = {"login": short(login, 254), "target": short(target, 500), "detail": short(detail, 500)}
    AuditEntry.objects.create(**texts, **fields)


def note_wrong_login(login: str, address: str, target: str) -> None:
    """Count a wrong login in one row per login, network and hour.

    Further logins from a network that tried many in an hour share a row.
    """
    now = timezone.now()
    network, hour = network_of(address), now.replace(minute=0, second=0, microsecond=0)
    rows = AuditEntry.objects.filter(address=network, hour=hour)
    login = short(login, 254)
    fields = {"time": now, "target": short(target, 500), "count": F("count") + 1}
    if rows.filter(login=login).update(**fields):
        return
    if rows.count() >= MAX_LOGINS:
        login = OTHERS
    row = AuditEntry(
        login=login,
        address=network,
        hour=hour,
        operation="login",
        outcome=Outcome.WRONG_LOGIN,
        count=0,
    )
    # Requests at the same time may all create the row: one succeeds, and all then count in it.
    AuditEntry.objects.bulk_create([row], ignore_conflicts=True)
    rows.filter(login=login).update(**fields)


def forget_wrong_logins() -> int:
    """Delete old rows of wrong logins, and no others; return how many."""
    old = AuditEntry.objects.filter(hour__lt=timezone.now() - KEEP_FOR)
    return delete_in_batches(old.order_by("hour"))


def short(text: str, length: int) -> str:
    """Return a text that fits into a column; PostgreSQL rejects NUL."""
    return text.replace("\0", "�")[:length]
