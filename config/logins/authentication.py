"""Logins with a password or an API key, throttled against guessing."""

import re
from contextlib import contextmanager
from datetime import timedelta

from django.conf import settings
from django.contrib.auth.backends import ModelBackend
from drf_spectacular.authentication import BasicScheme
from rest_framework.authentication import BasicAuthentication
from rest_framework.exceptions import AuthenticationFailed, Throttled

from backup_app.accounts import api_keys
from backup_app.accounts.authentication import account_of
from backup_app.accounts.throttling import LoginThrottle
from backup_app.exceptions import TooManyAttempts

WINDOW = timedelta(minutes=5)
WITH_PORT = re.compile(r"([0-9.]+):[0-9]+|\[([0-9A-Fa-f:.]+)\](?::[0-9]+)?")


class SlowedBackend(ModelBackend):
    """Raises Throttled after too many wrong logins, in the admin and the calendar API."""

    def authenticate(self, request, username=None, password=None, **credentials):
        if request is None or username is None:
            return super().authenticate(request, username, password, **credentials)
        with throttled(request, username) as throttle:
            throttle.check()
            # PostgreSQL rejects text with a NUL, even in a condition.
            is_possible = password and "\0" not in username
            user = is_possible and super().authenticate(request, username, password, **credentials)
            if not user:
                throttle.failed()
                return None
            throttle.succeeded()
            return user


class SlowedBasicAuthentication(BasicAuthentication):
    """HTTP Basic with a password, or with an e-mail address and an API key of the backup service.

    Raises Throttled while too many of either were wrong.
    """

    def authenticate_credentials(self, userid, password, request=None):
        if not api_keys.looks_like_key(password):
            return super().authenticate_credentials(userid, password, request)
        with throttled(request, userid) as throttle:
            throttle.check(guessable=False)
            account = account_of(userid, password)
            if account is None:
                throttle.failed()
                raise AuthenticationFailed("The e-mail address or the API key is wrong.")
            return account, None


class SlowedBasicScheme(BasicScheme):
    target_class = SlowedBasicAuthentication

    def get_security_definition(self, auto_schema):
        login = "A user name and password, or an e-mail address and an API key."
        return super().get_security_definition(auto_schema) | {"description": login}


@contextmanager
def throttled(request, login):
    """Yield the throttle of a login; raises Throttled."""
    try:
        yield LoginThrottle(login, address(request), scope="calendar", window=WINDOW)
    except TooManyAttempts as e:
        raise Throttled(e.seconds, "Too many wrong logins.") from e


def address(request):
    """Return the client's address: that of the peer, or the one that the trusted proxy names."""
    forwarded = request.META.get("HTTP_X_FORWARDED_FOR", "")
    if settings.BEHIND_PROXY and forwarded:
        last = forwarded.rpartition(",")[2].strip()
        # Some proxies add the port, which differs for each connection.
        found = WITH_PORT.fullmatch(last)
        return found[1] or found[2] if found else last
    return request.META.get("REMOTE_ADDR", "")
