"""Child processes that start, run and stop together.

They are forked, so that what this process has loaded is in memory only once, and starts at once.
"""

import contextlib
import ctypes
import gc
import logging
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from multiprocessing import get_context

WATCHED = {signal.SIGCHLD, signal.SIGINT, signal.SIGTERM}
GRACE = 30  # seconds that a child has to finish what it does
RESTARTS, WITHIN = 5, 60  # of one child within so many seconds: more would not help
PR_SET_PDEATHSIG, PR_SET_NAME = 1, 15

logger = logging.getLogger(__name__)
fork = get_context("fork")

Task = Callable[[], object]


def run_together(tasks: Mapping[str, Task]) -> str | None:
    """Run each task in a process until this one is told to stop; return the name of an ended one.

    This process must have no other threads and no open database connections. Ctrl-C and SIGTERM
    stop all of them, and so does one that ends by itself. One that is killed, as by a machine that
    is out of memory, is started again.
    """
    # Awaited instead of handled, so that none arrives at a wrong moment.
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    gc.freeze()  # or the first collection of each child would copy all that it shares
    children = [Child(name, task) for name, task in tasks.items()]
    try:
        while signal.sigwait(WATCHED) == signal.SIGCHLD:
            for child in children:
                if not child.goes_on():
                    return child.name
        return None
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
        _end([child.process for child in children])


class Child:
    """The process of a task, and its replacements."""

    def __init__(self, name: str, task: Task):
        self.name, self.task = name, task
        self.process = self.start()
        self.restarts = deque([float("-inf")] * RESTARTS, maxlen=RESTARTS)

    def start(self):
        process = fork.Process(target=_run, args=(self.name, self.task))
        process.start()
        return process

    def goes_on(self) -> bool:
        """Whether it is running; restarts it if a signal ended it."""
        code = self.process.exitcode
        if code is None:
            return True
        now = time.monotonic()
        if code >= 0 or now - self.restarts[0] < WITHIN:
            return False
        logger.warning("The %s was killed (signal %d) and is being restarted.", self.name, -code)
        _kill_group(self.process)
        self.restarts.append(now)
        self.process = self.start()
        return True


def _run(name: str, task: Task):
    os.setsid()  # a session of its own gets Ctrl-C only once, from us
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
    _set_name(name)
    end_with_parent()
    task()


def _set_name(name: str):
    """Have ``top`` and ``ps -o comm`` show the first 15 letters of a name (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_NAME, name.encode())


def end_with_parent():
    """Have the kernel end this process when its parent dies, even by kill -9 (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _end(children: Collection):
    with contextlib.suppress(KeyboardInterrupt):
        for child in children:
            child.terminate()
        for child in children:
            child.join(GRACE)
    for child in children:
        _kill_group(child)
        child.join()


def _kill_group(child):
    """Kill a child, or the processes that it left."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
