"""Writes down who did what, and who was refused."""

import datetime as dt

from django.db.models import F
from django.utils import timezone

from ..lib.addresses import network_of
from ..lib.bulk import delete_in_batches
from ..models import AuditEntry

Outcome = AuditEntry.Outcome
KEPT = dt.timedelta(days=30)  # rows of wrong logins
MOST_LOGINS = 100  # that have rows of their own, of one network in one hour
OTHERS = "(others)"


def note(*, account, login, address, operation, target, outcome, detail=""):
    """Keep one row. No secret may be in any of these."""
    AuditEntry.objects.create(
        account=account,
        login=short(login, 254),
        address=address,
        operation=operation,
        target=short(target, 500),
        outcome=outcome,
        detail=short(detail, 500),
    )


def note_wrong_login(login, address, target):
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
    if rows.count() >= MOST_LOGINS:
        login = OTHERS
    row = AuditEntry(
        login=login,
        address=network,
        hour=hour,
        operation="login",
        outcome=Outcome.WRONG_LOGIN,
        count=0,
    )
    # Whoever makes the row, everyone counts in it.
    AuditEntry.objects.bulk_create([row], ignore_conflicts=True)
    rows.filter(login=login).update(**fields)


def forget_wrong_logins() -> int:
    """Delete the rows of wrong logins that are old; return how many. All others stay."""
    old = AuditEntry.objects.filter(hour__lt=timezone.now() - KEPT)
    return delete_in_batches(old.order_by("hour"))


def short(text, length):
    """Return a text as it fits into a column; PostgreSQL has no NUL in texts."""
    return text.replace("\0", "�")[:length]
