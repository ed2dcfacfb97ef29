"""Limits on guessing: failed logins are counted in the database, which all processes share."""

import hashlib
import math
import unicodedata
from collections.abc import Sequence
from contextvars import ContextVar
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.utils import timezone
from django.utils.functional import cached_property

from ..conf import conf
from ..exceptions import TooManyAttempts
from ..lib.addresses import network_of
from ..lib.bulk import delete_in_batches
from ..models import AuditEntry, LoginAttempt
from .audit import Outcome

WINDOW = timedelta(minutes=1)
WIDER = 3  # times LOGIN_FAILURES: the limit for one address, and for one login
KNOWN = timedelta(days=30)  # how long a login counts as known at an address
LONGEST_WINDOW = timedelta(hours=1)  # that a project may configure for a scope

_is_known = ContextVar("is_known", default=False)


class LoginThrottle:
    """Limits failed logins for a login from an address, and for either of them alone.

    Once its password was right, a login is known at that address: failures elsewhere, and those of
    other logins, no longer block it. Otherwise anybody could lock others out.

    scope separates the failures of several services, and window is how long they count. Case is
    ignored, and the addresses of an IPv6 /64 count as one.
    """

    def __init__(
        self, login: str, address: str, *, scope: str = "backup", window: timedelta = WINDOW
    ) -> None:
        login = unicodedata.normalize("NFKC", login).casefold()
        self.login = hashlib.sha256(login.encode()).hexdigest()
        self.network = network_of(address)
        self.scope = scope
        self.window = window

    def check(self, *, guessable: bool = True) -> None:
        """Raise TooManyAttempts after too many failures.

        An API key is not ``guessable``, so only failures of its own login from its own address
        count.
        """
        self._require_few(guessable)
        _is_known.set(guessable and self.is_known)

    def failed(self) -> None:
        """Count a failure; raises TooManyAttempts if other requests reached the limit first."""
        self.check()  # otherwise wrong API keys could add rows without limit
        LoginAttempt.objects.create(**self._who)
        self._require_few(spare=1)

    def succeeded(self) -> None:
        """Remember the address of a right password; raises TooManyAttempts like ``failed``."""
        self._require_few()
        if not self.is_known:
            LoginAttempt.objects.create(**self._who, failed=False)

    @cached_property
    def is_known(self) -> bool:
        since = timezone.now() - KNOWN
        return LoginAttempt.objects.filter(**self._who, failed=False, time__gt=since).exists()

    @property
    def _who(self) -> dict[str, str]:
        return {"scope": self.scope, "login": self.login, "network": self.network}

    def _failures(self) -> QuerySet[LoginAttempt]:
        either = Q(login=self.login) | Q(network=self.network)
        since = timezone.now() - self.window
        return LoginAttempt.objects.filter(either, scope=self.scope, failed=True, time__gt=since)

    def _require_few(self, guessable: bool = True, spare: int = 0) -> None:
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
    """Return whether the login checked last in this context is known at its address; once only."""
    is_known = _is_known.get()
    _is_known.set(False)
    return is_known


def require_few_refusals(account: Any, operation: str) -> None:
    """Raise TooManyAttempts after too many refusals of an operation that tries passwords.

    The passwords are those of other machines, which an account could otherwise guess through us.
    """
    refusals = AuditEntry.objects.filter(
        account=account,
        operation=operation,
        outcome=Outcome.REFUSED,
        time__gt=timezone.now() - WINDOW,
    ).order_by("-time")
    few = conf.LOGIN_FAILURES
    times = list(refusals.values_list("time", flat=True)[:few])
    _require_fewer(few, times, WINDOW, "refusals")


def forget_attempts() -> int:
    """Delete attempts that no longer count; return how many."""
    now = timezone.now()
    old = Q(failed=True, time__lt=now - LONGEST_WINDOW) | Q(time__lt=now - KNOWN)
    return delete_in_batches(LoginAttempt.objects.filter(old).order_by("time"))


def _require_fewer(limit: int, times: Sequence[datetime], window: timedelta, what: str) -> None:
    """Raise TooManyAttempts if there are ``limit`` times, newest first, or more."""
    if len(times) < limit:
        return
    left = times[limit - 1] + window - timezone.now()
    seconds = max(1, math.ceil(left.total_seconds()))
    raise TooManyAttempts(f"Too many {what}. Try again in {seconds} seconds.", seconds=seconds)
