"""An end to what a hostile file could make take for ever."""

import signal
import threading
from contextlib import contextmanager


class TooSlowError(Exception):
    """The block took longer than it may."""


@contextmanager
def within(seconds: float):
    """Raise TooSlowError inside the block when it has not ended by then.

    Rules of recurrence are worked out by loops that look at no clock, so a signal ends them. Only
    the main thread, which commands run in, gets signals; in another there is no limit.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGALRM, _end)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _end(number, frame):
    raise TooSlowError
