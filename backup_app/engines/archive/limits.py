"""Limits of time, for programs that answer a request."""

import time
from collections.abc import Callable

from ...exceptions import EngineUnreachable


def time_limit(seconds: float, message: str) -> Callable[[], None]:
    """Return a ``tick`` that raises EngineUnreachable with the message after so many seconds."""
    end = time.monotonic() + seconds

    def tick():
        if time.monotonic() > end:
            raise EngineUnreachable(message)

    return tick
