"""Writes down who did what, and who was refused."""

import datetime as dt

from django.utils import timezone

from .models import AuditEntry

Outcome = AuditEntry.Outcome
GUESSES_KEPT = dt.timedelta(days=30)  # who guesses makes as many rows as there is time for
AT_ONCE = 10_000


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


def forget_guesses() -> int:
    """Delete some rows of wrong logins that are old; return how many. All others stay."""
    before = timezone.now() - GUESSES_KEPT
    old = AuditEntry.objects.filter(outcome=Outcome.WRONG_LOGIN, time__lt=before).order_by("time")
    pks = list(old.values_list("pk", flat=True)[:AT_ONCE])
    return AuditEntry.objects.filter(pk__in=pks).delete()[0] if pks else 0


def short(text, length):
    """Return a text as it fits into a column; PostgreSQL has no NUL in texts."""
    return text.replace("\0", "�")[:length]
