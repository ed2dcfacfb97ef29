"""Slows whoever guesses: counts wrong logins, in the database that all processes share."""

import math
from datetime import timedelta

from django.utils import timezone

from .audit import Outcome, short
from .conf import conf
from .exceptions import TooManyAttempts
from .models import AuditEntry

WINDOW = timedelta(minutes=1)


def require_patience(login: str, address: str):
    """Raise TooManyAttempts after too many failures for this login from this address."""
    failures = AuditEntry.objects.filter(
        login=short(login, 254), address=address, outcome=Outcome.WRONG_LOGIN
    )
    _require_few(failures, "wrong logins")


def require_patience_with_passwords(account, operation: str):
    """Raise TooManyAttempts after too many refusals of an operation that tries passwords.

    They are those of other machines, which an account could guess, and look for, in our name.
    """
    refusals = AuditEntry.objects.filter(
        account=account, operation=operation, outcome=Outcome.REFUSED
    )
    _require_few(refusals, "refusals")


def _require_few(rows, what):
    now = timezone.now()
    recent = rows.filter(time__gt=now - WINDOW).order_by("-time")
    times = list(recent.values_list("time", flat=True)[: conf.LOGIN_FAILURES])
    if len(times) == conf.LOGIN_FAILURES:
        seconds = max(1, math.ceil((times[-1] + WINDOW - now).total_seconds()))
        raise TooManyAttempts(f"Too many {what}. Try again in {seconds} seconds.", seconds=seconds)
