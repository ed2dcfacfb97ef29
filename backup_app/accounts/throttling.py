"""Slows whoever guesses: counts failed logins, in the database that all processes share."""

import hashlib
import math
import unicodedata
from contextvars import ContextVar
from datetime import timedelta

from django.db.models import Q
from django.utils import timezone
from django.utils.functional import cached_property

from ..conf import conf
from ..exceptions import TooManyAttempts
from ..lib.addresses import network_of
from ..lib.bulk import delete_in_batches
from ..models import AuditEntry, LoginAttempt
from .audit import Outcome

WINDOW = timedelta(minutes=1)
WIDER = 3  # times as many failures are allowed from one address, and for one login
KNOWN = timedelta(days=30)
LONGEST_WINDOW = timedelta(hours=1)  # of any service

_is_known = ContextVar("is_known", default=False)


class LoginThrottle:
    """Limits failed logins for a login from an address, and for either of them alone.

    Once a password was right, its login is known at that address: failures elsewhere, and those of
    other logins, no longer hold it up. Without that anybody could lock others out.

    scope keeps the failures of one service apart from those of another, and window is how long they
    count. Letter case makes no difference, nor which address of an IPv6 network it is.
    """

    def __init__(self, login: str, address: str, *, scope: str = "backup", window=WINDOW):
        login = unicodedata.normalize("NFKC", login).casefold()
        self.login = hashlib.sha256(login.encode()).hexdigest()
        self.network = network_of(address)
        self.scope = scope
        self.window = window

    def check(self, *, guessable: bool = True) -> None:
        """Raise TooManyAttempts after too many failures.

        An API key is not ``guessable``: it is only refused for failures of its own login from its
        own address.
        """
        self._require_few(guessable)
        _is_known.set(guessable and self.is_known)

    def failed(self) -> None:
        """Count a failure; raises TooManyAttempts when others were quicker to use up the limit."""
        self.check()  # else wrong API keys, which are not checked for this, add rows without end
        LoginAttempt.objects.create(**self._who)
        self._require_few(spare=1)

    def succeeded(self) -> None:
        """Remember where a password was right; raises TooManyAttempts like ``failed``."""
        self._require_few()
        if not self.is_known:
            LoginAttempt.objects.create(**self._who, failed=False)

    @cached_property
    def is_known(self) -> bool:
        since = timezone.now() - KNOWN
        return LoginAttempt.objects.filter(**self._who, failed=False, time__gt=since).exists()

    @property
    def _who(self):
        return {"scope": self.scope, "login": self.login, "network": self.network}

    def _failures(self):
        either = Q(login=self.login) | Q(network=self.network)
        since = timezone.now() - self.window
        return LoginAttempt.objects.filter(either, scope=self.scope, failed=True, time__gt=since)

    def _require_few(self, guessable=True, spare=0):
        few, failures = conf.LOGIN_FAILURES, self._failures()
        of_login = {row for row in failures if row.login == self.login}
        of_network = {row for row in failures if row.network == self.network}
        limits = [(few, of_login & of_network)]
        if guessable and not self.is_known:
            limits += [(WIDER * few, of_login), (WIDER * few, of_network)]
        for limit, rows in limits:
            times = sorted((row.time for row in rows), reverse=True)
            _require_fewer(limit + spare, times, self.window, "wrong logins")


def is_known_caller() -> bool:
    """Say, once, whether the login that was just checked is known at its address."""
    is_known = _is_known.get()
    _is_known.set(False)
    return is_known


def require_patience_with_passwords(account, operation: str):
    """Raise TooManyAttempts after too many refusals of an operation that tries passwords.

    They are those of other machines, which an account could guess, and look for, in our name.
    """
    refusals = AuditEntry.objects.filter(
        account=account,
        operation=operation,
        outcome=Outcome.REFUSED,
        time__gt=timezone.now() - WINDOW,
    ).order_by("-time")
    few = conf.LOGIN_FAILURES
    _require_fewer(few, refusals.values_list("time", flat=True)[:few], WINDOW, "refusals")


def forget_attempts() -> int:
    """Delete what counts no longer; return how many attempts."""
    now = timezone.now()
    old = Q(failed=True, time__lt=now - LONGEST_WINDOW) | Q(time__lt=now - KNOWN)
    return delete_in_batches(LoginAttempt.objects.filter(old).order_by("time"))


def _require_fewer(limit, times, window, what):
    """Raise TooManyAttempts when there are so many times, which are newest first."""
    if len(times) < limit:
        return
    left = times[limit - 1] + window - timezone.now()
    seconds = max(1, math.ceil(left.total_seconds()))
    raise TooManyAttempts(f"Too many {what}. Try again in {seconds} seconds.", seconds=seconds)
