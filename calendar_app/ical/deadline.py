"""A time limit on code that a hostile file could keep busy for ever."""

import ctypes
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class TooSlowError(BaseException):
    """The block exceeded its time limit.

    Not an Exception, since the library that reads calendars takes any for a malformed line.
    """


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TooSlowError inside the block if it takes longer than seconds.

    The libraries expand recurrence rules in loops without a time limit. Another thread ends them:
    a signal would reach the main thread only, and servers answer in others. What waits in C, such
    as a query, ends first.
    """
    thread, lock, is_over = threading.get_ident(), threading.Lock(), False

    def end() -> None:
        with lock:
            if not is_over:
                _raise_in(thread, TooSlowError)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        with lock:
            is_over = True
            _raise_in(thread, None)  # nothing that is on its way arrives after the block


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Let a thread raise an error as soon as it runs Python code; None takes back what waits."""
    raised = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), raised)
