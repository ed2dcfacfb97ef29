"""Logins with a password or an API key, slowed for whoever guesses."""

import contextlib
import hashlib

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from django.core.cache import cache
from django.core.exceptions import PermissionDenied
from drf_spectacular.authentication import BasicScheme
from rest_framework.authentication import BasicAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled

from backup_app import keys
from backup_app.authentication import account_of

ATTEMPTS = 10
SECONDS = 300


class SlowedBackend(ModelBackend):
    """Refuses a login for a while after too many wrong passwords, in the admin and the APIs."""

    def authenticate(self, request, username=None, password=None, **credentials):
        failures = Failures(request, username)
        if failures.are_too_many():
            raise PermissionDenied  # asks no other backend
        if "\0" in (username or ""):
            return None  # PostgreSQL takes no text with a NUL, not even to look for it
        user = super().authenticate(request, username, password, **credentials)
        if request and username and not user:
            failures.add()
        return user


class SlowedBasicAuthentication(BasicAuthentication):
    """HTTP Basic with a password, or with an e-mail address and an API key of the backup service.

    Says 429 while too many of either were wrong.
    """

    def authenticate_credentials(self, userid, password, request=None):
        try:
            if keys.looks_like_key(password):
                return self.account_of_key(userid, password, request), None
            return super().authenticate_credentials(userid, password, request)
        except AuthenticationFailed as e:
            if Failures(request, userid).are_too_many():
                raise Throttled(SECONDS, "Too many wrong passwords. Try again later.") from e
            raise

    @staticmethod
    def account_of_key(email, text, request):
        failures = Failures(request, email)
        account = None if failures.are_too_many() else account_of(email, text)
        if account is None:
            failures.add()
            raise AuthenticationFailed("The e-mail address or the API key is wrong.")
        return account


class SlowedBasicScheme(BasicScheme):
    target_class = SlowedBasicAuthentication


class Failures:
    """The wrong passwords for one login from one address, counted in the cache."""

    def __init__(self, request, login):
        text = f"{address(request)} {login}".casefold()
        self.key = f"logins:{hashlib.sha256(text.encode()).hexdigest()}"

    def are_too_many(self):
        return cache.get(self.key, 0) >= ATTEMPTS

    def add(self):
        if not cache.add(self.key, 1, SECONDS):
            with contextlib.suppress(ValueError):  # forgotten meanwhile
                cache.incr(self.key)


def address(request):
    """Return who asks: the peer, or the one that our own proxy names."""
    if request is None:
        return ""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    if settings.BEHIND_PROXY and forwarded:
        return forwarded.rpartition(",")[2].strip()
    return request.META.get("REMOTE_ADDR", "")
