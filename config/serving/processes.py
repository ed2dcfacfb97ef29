"""Child processes that start, run and stop together."""

import contextlib
import ctypes
import logging
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping
from functools import partial

WATCHED = {signal.SIGCHLD, signal.SIGINT, signal.SIGTERM}
GRACE = 30  # seconds that a child has to finish what it does
RESTARTS, WITHIN = 5, 60  # of one child within so many seconds: more would not help
PR_SET_PDEATHSIG = 1

logger = logging.getLogger(__name__)


def run_together(
    commands: Mapping[str, list[str]], folder: str, descriptors: Collection[int] = ()
) -> str | None:
    """Run commands until this process is told to stop; return the name of one that ended before.

    All of them inherit the open file descriptors. Ctrl-C and SIGTERM stop all of them, and so does
    one that ends by itself. One that is killed, as by a machine that is out of memory, is started
    again.
    """
    # Awaited instead of handled, so that none arrives at a wrong moment.
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    start = partial(_start, folder=folder, descriptors=descriptors)
    children = [Child(name, partial(start, command)) for name, command in commands.items()]
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
    """The process of a command, and its replacements."""

    def __init__(self, name: str, start: Callable[[], subprocess.Popen]):
        self.name, self.start = name, start
        self.process = start()
        self.restarts = deque([float("-inf")] * RESTARTS, maxlen=RESTARTS)

    def goes_on(self) -> bool:
        """Whether it is running; restarts it if a signal ended it."""
        code = self.process.poll()
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


def _start(command: list[str], folder: str, descriptors: Collection[int]) -> subprocess.Popen:
    # In its own session a child gets Ctrl-C only once, from us.
    return subprocess.Popen(  # noqa: S603 - our own commands, no input in them
        command,
        cwd=folder,
        pass_fds=descriptors,
        start_new_session=True,
        preexec_fn=_prepare,
    )


def _prepare():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
    end_with_parent()


def end_with_parent():
    """Have the kernel end this process when its parent dies, even by kill -9 (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _end(children: Collection[subprocess.Popen]):
    with contextlib.suppress(KeyboardInterrupt, subprocess.TimeoutExpired):
        for child in children:
            child.terminate()
        for child in children:
            child.wait(GRACE)
    for child in children:
        _kill_group(child)
        child.wait()


def _kill_group(child: subprocess.Popen):
    """Kill a child, or the processes that it left."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
