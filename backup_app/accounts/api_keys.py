"""API keys: made, found by what a caller sent, revoked.

A key is ``bk_<prefix>_<secret>``. The prefix finds its row; of the rest only a SHA-256 is stored,
which is enough for a secret of 256 random bits.
"""

import datetime as dt
import hashlib
import hmac
import re
import secrets

from django.db.models import Q
from django.utils import timezone

from ..exceptions import NotFound
from ..models import ApiKey

PREFIX_BYTES = 6
SECRET_BYTES = 32
WRITTEN = re.compile(rf"bk_(?P<prefix>[0-9a-f]{{{2 * PREFIX_BYTES}}})_[A-Za-z0-9_-]+")
USED_EVERY = dt.timedelta(minutes=1)


def make(account, name: str = "", expires=None) -> tuple[ApiKey, str]:
    """Return a new key of an account and its text, which nobody can tell again.

    ``expires`` is the time from which it is no longer accepted.
    """
    prefix = secrets.token_hex(PREFIX_BYTES)
    text = f"bk_{prefix}_{secrets.token_urlsafe(SECRET_BYTES)}"
    key = ApiKey.objects.create(
        account=account, name=name, prefix=prefix, digest=_digest(text), expires=expires
    )
    return key, text


def looks_like_key(text: str) -> bool:
    """Say whether a text is written as a key is, be there such a key or not."""
    return WRITTEN.fullmatch(text) is not None


def find(text: str) -> ApiKey | None:
    """Return the usable key that has this text, with its account; None when there is none."""
    if not (written := WRITTEN.fullmatch(text)):
        return None
    keys = ApiKey.objects.usable().select_related("account")
    key = keys.filter(prefix=written["prefix"]).first()
    return key if key and hmac.compare_digest(key.digest, _digest(text)) else None


def used(key: ApiKey) -> None:
    """Note that a key is being used; written at most once a minute."""
    now = timezone.now()
    if key.last_used and key.last_used > now - USED_EVERY:
        return
    stale = Q(last_used=None) | Q(last_used__lte=now - USED_EVERY)
    ApiKey.objects.filter(stale, pk=key.pk).update(last_used=now)


def revoke(prefix: str) -> ApiKey:
    """Let a key be accepted no more, at once and for good; raises NotFound.

    A key that was revoked before stays as it is.
    """
    bare = prefix.removeprefix("bk_").partition("_")[0]
    ApiKey.objects.filter(prefix=bare, revoked=None).update(revoked=timezone.now())
    if not (key := ApiKey.objects.filter(prefix=bare).first()):
        raise NotFound(f"There is no API key with the prefix '{bare}'.")
    return key


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()
