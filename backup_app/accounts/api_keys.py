"""Creating, finding and revoking API keys.

A key is ``bk_<prefix>_<secret>``. The prefix finds its row; only a SHA-256 of the whole is stored.
A slow hash, as for passwords, is not needed: nobody guesses a secret of 256 random bits.
"""

import datetime as dt
import hashlib
import hmac
import re
import secrets
from typing import Any

from django.db.models import Q
from django.utils import timezone

from ..exceptions import NotFound
from ..models import ApiKey

PREFIX_BYTES = 6
SECRET_BYTES = 32
WRITTEN = re.compile(rf"bk_(?P<prefix>[0-9a-f]{{{2 * PREFIX_BYTES}}})_[A-Za-z0-9_-]+")
USED_EVERY = dt.timedelta(minutes=1)


def make(account: Any, name: str = "", expires: dt.datetime | None = None) -> tuple[ApiKey, str]:
    """Return a new key of an account and its text, which cannot be shown again.

    ``expires`` is the time from which it is no longer accepted.
    """
    prefix = secrets.token_hex(PREFIX_BYTES)
    text = f"bk_{prefix}_{secrets.token_urlsafe(SECRET_BYTES)}"
    key = ApiKey.objects.create(
        account=account, name=name, prefix=prefix, digest=_digest(text), expires=expires
    )
    return key, text


def looks_like_key(text: str) -> bool:
    """Return whether a text has the format of a key, whether or not that key exists."""
    return WRITTEN.fullmatch(text) is not None


def find(text: str) -> ApiKey | None:
    """Return the usable key that has this text, with its account, or None."""
    if not (written := WRITTEN.fullmatch(text)):
        return None
    keys = ApiKey.objects.usable().select_related("account")
    key = keys.filter(prefix=written["prefix"]).first()
    return key if key and hmac.compare_digest(key.digest, _digest(text)) else None


def note_use(key: ApiKey) -> None:
    """Record that a key is being used, at most once a minute to save writes."""
    now = timezone.now()
    if key.last_used and key.last_used > now - USED_EVERY:
        return
    stale = Q(last_used=None) | Q(last_used__lte=now - USED_EVERY)
    ApiKey.objects.filter(stale, pk=key.pk).update(last_used=now)


def revoke(prefix: str) -> ApiKey:
    """Stop accepting a key, at once and for good; raises NotFound.

    Changes nothing of a key that was revoked before.
    """
    bare = prefix.removeprefix("bk_").partition("_")[0]
    ApiKey.objects.filter(prefix=bare, revoked=None).update(revoked=timezone.now())
    key: ApiKey | None = ApiKey.objects.filter(prefix=bare).first()
    if key is None:
        raise NotFound(f"There is no API key with the prefix '{bare}'.")
    return key


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
