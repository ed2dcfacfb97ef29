"""Child processes that start, run and end together."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Collection, Mapping

WATCHED = {signal.SIGCHLD, signal.SIGINT, signal.SIGTERM}
GRACE = 30  # seconds that a child has to finish what it does
PR_SET_PDEATHSIG = 1


def run_together(commands: Mapping[str, list[str]], folder: str) -> str | None:
    """Run commands until this process is told to stop; return the name of one that ended before.

    Ctrl-C and SIGTERM stop all of them, and so does the end of any.
    """
    # Waited for instead of handled, none of them can come at a wrong moment.
    signal.pthread_sigmask(signal.SIG_BLOCK, WATCHED)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    children = {name: _start(command, folder) for name, command in commands.items()}
    try:
        while signal.sigwait(WATCHED) == signal.SIGCHLD:
            ended = [name for name, child in children.items() if child.poll() is not None]
            if ended:
                return ended[0]
        return None
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
        _end(children.values())


def _start(command: list[str], folder: str) -> subprocess.Popen:
    # In a session of its own, Ctrl-C reaches a child once only: from us.
    return subprocess.Popen(  # noqa: S603 - our own commands, no input in them
        command, cwd=folder, start_new_session=True, preexec_fn=_prepare
    )


def _prepare():
    signal.pthread_sigmask(signal.SIG_UNBLOCK, WATCHED)
    end_with_parent()


def end_with_parent():
    """Let this process be told to end when its parent is gone, even by kill -9 (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


def _end(children: Collection[subprocess.Popen]):
    with contextlib.suppress(KeyboardInterrupt, subprocess.TimeoutExpired):
        for child in children:
            child.terminate()
        for child in children:
            child.wait(GRACE)
    for child in children:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)  # it or children of its own
        child.wait()
