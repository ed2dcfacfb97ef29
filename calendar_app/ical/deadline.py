"""A time limit on code that a hostile file could keep busy for ever."""

import signal
import threading
from contextlib import contextmanager


class TooSlowError(BaseException):
    """The block exceeded its time limit.

    Not an Exception, since the library that reads calendars takes any for a malformed line.
    """


@contextmanager
def time_limit(seconds: float):
    """Raise TooSlowError inside the block if it takes longer than seconds.

    The libraries expand recurrence rules in loops without a time limit, so a signal ends them. Only
    the main thread receives signals, in which commands run; in others there is no limit.
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
