"""Requests that clients may repeat: each key belongs to one user and one request.

A key is claimed in a transaction of its own, so that others see that its request is running. The
answer is kept in the transaction that stores the record: either both are there, or neither is.
"""

from datetime import timedelta
from typing import Any

from django.utils import timezone

from ..conf import conf
from ..exceptions import CalendarError
from ..models import IdempotencyKey

# A claim without an answer is given up after this time: its process has died.
LONGEST_REQUEST = timedelta(minutes=5)


class KeyInUse(CalendarError):
    code, status, wait = "rest_idempotency_key_in_use", 409, 1

    def __init__(self, key: str) -> None:
        super().__init__(f"The first request with the Idempotency-Key '{key}' is still running.")


class KeyReused(CalendarError):
    code, status = "rest_idempotency_key_reused", 422

    def __init__(self, key: str) -> None:
        super().__init__(
            f"The Idempotency-Key '{key}' belongs to another request: use a new key for a new one."
        )


def claim(user: Any, key: str, fingerprint: str) -> IdempotencyKey:
    """Return user's key, with the answer if the same request has had one, else for this request.

    Raises KeyInUse while the first request is running, and KeyReused for another request.
    """
    now = timezone.now()
    fields = {"fingerprint": fingerprint, "claimed_at": now}
    row, is_new = IdempotencyKey.objects.get_or_create(user=user, key=key, defaults=fields)
    if is_new:
        return row
    if _is_over(row):
        return _taken_over(row, fields)
    if row.fingerprint != fingerprint:
        raise KeyReused(key)
    if row.status is None:
        raise KeyInUse(key)
    return row


def keep(claimed: IdempotencyKey, status: int, body: str) -> None:
    """Keep the answer to the request that has claimed a key; call it inside its transaction.

    Raises KeyInUse if the request took so long that another one has taken over.
    """
    mine = IdempotencyKey.objects.filter(pk=claimed.pk, claimed_at=claimed.claimed_at, status=None)
    if not mine.update(status=status, body=body):
        raise KeyInUse(claimed.key)


def release(claimed: IdempotencyKey) -> None:
    """Forget the key of a request that has failed, which the client may send again."""
    claims = IdempotencyKey.objects.filter(pk=claimed.pk, claimed_at=claimed.claimed_at)
    claims.filter(status=None).delete()


def prune() -> int:
    """Delete the keys whose time is over; return their number."""
    old = IdempotencyKey.objects.filter(claimed_at__lt=timezone.now() - _lifetime())
    return old.delete()[0]


def _is_over(row: IdempotencyKey) -> bool:
    lifetime = LONGEST_REQUEST if row.status is None else _lifetime()
    return row.claimed_at < timezone.now() - lifetime


def _lifetime() -> timedelta:
    return timedelta(hours=conf.IDEMPOTENCY_HOURS)


def _taken_over(row: IdempotencyKey, fields: dict[str, object]) -> IdempotencyKey:
    same = IdempotencyKey.objects.filter(pk=row.pk, claimed_at=row.claimed_at)
    if not same.update(**fields, status=None, body=""):
        raise KeyInUse(row.key)  # another request was quicker
    row.refresh_from_db()
    return row
