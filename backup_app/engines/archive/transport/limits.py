"""Limits of time, for programs that answer a request."""

import time
from collections.abc import Callable

from ....exceptions import EngineError


def time_limit(seconds: float, error: EngineError) -> Callable[[], None]:
    """Return a ``tick`` that raises the error after so many seconds."""
    end = time.monotonic() + seconds

    def tick():
        if time.monotonic() > end:
            raise error

    return tick
