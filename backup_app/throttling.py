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
    now = timezone.now()
    failures = AuditEntry.objects.filter(
        login=short(login, 254),
        address=address,
        outcome=Outcome.WRONG_LOGIN,
        time__gt=now - WINDOW,
    )
    times = list(failures.order_by("-time").values_list("time", flat=True)[: conf.LOGIN_FAILURES])
    if len(times) == conf.LOGIN_FAILURES:
        seconds = max(1, math.ceil((times[-1] + WINDOW - now).total_seconds()))
        raise TooManyAttempts(
            f"Too many wrong logins. Try again in {seconds} seconds.", seconds=seconds
        )
