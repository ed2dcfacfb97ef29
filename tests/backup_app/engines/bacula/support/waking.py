"""Spares tests the Director's naps: it looks for jobs to start every two seconds only."""

import contextlib
import ctypes
import signal
import threading
import time
from pathlib import Path

AFTER = 0.01  # seconds, so that all clocks are in the next second
NAP = "hrtimer_nanosleep"  # where the kernel says that a thread is while it sleeps


class Waking(threading.Thread):
    """Ends the sleep of a daemon's threads at the begin of each second, until ``end``.

    By the signal by which Bacula ends waits of its own threads, which does nothing else; no
    directive makes the naps shorter. Not at once: Bacula orders jobs by the second, and one that
    began in the second in which another ended would not be based on that. Where the kernel does
    not tell who sleeps, jobs only begin later.
    """

    def __init__(self, daemon):
        super().__init__(daemon=True)
        self._daemon = daemon
        self._ended = threading.Event()
        self._libc = ctypes.CDLL(None)

    def run(self):
        while not self._ended.wait(1 - time.time() % 1 + AFTER):
            if self._daemon.is_running:
                # It may be gone by now.
                with contextlib.suppress(OSError):
                    self._wake(self._daemon.process.pid)

    def end(self):
        self._ended.set()
        self.join()

    def _wake(self, pid):
        for task in Path(f"/proc/{pid}/task").iterdir():
            thread = int(task.name)
            # The first thread keeps the schedule, for which once a minute is right.
            if thread != pid and (task / "wchan").read_text() == NAP:
                self._libc.tgkill(pid, thread, signal.SIGUSR2)
