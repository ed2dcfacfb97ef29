"""Writes down who did what, and who was refused."""

from .models import AuditEntry

Outcome = AuditEntry.Outcome


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


def short(text, length):
    """Return a text as it fits into a column; PostgreSQL has no NUL in texts."""
    return text.replace("\0", "�")[:length]
