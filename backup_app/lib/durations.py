"""Histograms of how long something takes, which the processes of a server count together.

They are in memory that a process shares with those that it forks, so what web workers count is
whole in each of them, lasts when one is restarted, and needs no files. Servers that load the
project in each worker anew have a count of each worker alone.
"""

import mmap
import os
import threading
import time
from bisect import bisect_left
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import accumulate

BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)  # seconds
WIDTH = len(BOUNDS) + 2  # a count for each bucket, and one above; the sum of seconds
ROWS = 64  # of processes; what a process that ended has counted stays in its row


class Durations:
    """A histogram for each of at most ``size`` names; make it before processes are forked."""

    def __init__(self, size: int):
        self._names: dict[str, int] = {}
        self._length = size * WIDTH
        self._values = memoryview(mmap.mmap(-1, ROWS * self._length * 8)).cast("d")
        self._row = self._forks = 0
        self._lock = threading.Lock()  # between threads; no other process writes to this row
        os.register_at_fork(before=self._count_fork, after_in_child=self._take_row)

    def add(self, name: str) -> None:
        """Add a name; those forked later must know it."""
        self._names.setdefault(name, len(self._names) * WIDTH)

    @contextmanager
    def measured(self, name: str) -> Iterator[None]:
        """Measure a block, also one that raises."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self.observe(name, time.perf_counter() - begin)

    def observe(self, name: str, seconds: float) -> None:
        place = self._row * self._length + self._names[name]
        with self._lock:
            self._values[place + bisect_left(BOUNDS, seconds)] += 1
            self._values[place + WIDTH - 1] += seconds

    def read(self) -> dict[str, tuple[list[float], float]]:
        """Return by name the counts up to each bound and of all, and the sum of the seconds."""
        found = {}
        for name, place in self._names.items():
            places = range(place, len(self._values), self._length)
            *counts, seconds = (
                sum(self._values[each + column] for each in places) for column in range(WIDTH)
            )
            if any(counts):
                found[name] = list(accumulate(counts)), seconds
        return found

    def _count_fork(self) -> None:
        self._forks += 1

    def _take_row(self) -> None:
        self._row = 1 + self._forks % (ROWS - 1)
        self._lock = threading.Lock()
