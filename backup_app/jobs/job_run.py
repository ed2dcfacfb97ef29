"""An active job, as its engine sees it."""

import datetime as dt
import logging
import math
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Any, TypeVar

from django.db import OperationalError, connection
from django.utils import timezone

from ..engines import get_engine
from ..exceptions import Canceled
from ..lib.formatting import storable
from ..models import Job, JobLog
from . import states
from .adoption.new_jobs import adopt_these

EVERY = 1.0  # seconds between writes
MAX_PENDING = 500  # lines that wait for the next write
MAX_LINES = 10_000  # in the log of a job; a client may report errors without end
MAX_LINE = 5_000  # characters
MAX_NUMBER = 2**63 - 1  # of a bigint

Level = JobLog.Level
SEVERITY: dict[str, int] = {
    Level.INFO: logging.INFO,
    Level.WARNING: logging.WARNING,
    Level.ERROR: logging.ERROR,
}
T = TypeVar("T")
logger = logging.getLogger(__name__)


class JobRun:
    """Writes a job's log, progress and heartbeats; implements ``engines.values.Run``.

    Lines are buffered until the next write or ``flush``. Not safe for several threads.
    """

    def __init__(self, job: Job, worker: str, *, is_resumed: bool = False):
        self.job, self.worker = job, worker
        self.errors = job.errors  # with any, the job does not end as "completed"
        self._lines: list[JobLog] = []
        self._count = JobLog.objects.filter(job=job).count() if is_resumed else 0
        self._left_out = 0
        self._progress: dict[str, int] = {}
        self._times: dict[str, dt.datetime] = {}
        # A resumed job is checked for cancellation at its first tick.
        self._written = -math.inf if is_resumed else monotonic()

    def info(self, message: str, at: dt.datetime | None = None) -> None:
        self._add(Level.INFO, message, at)

    def warning(self, message: str, at: dt.datetime | None = None) -> None:
        self.errors += 1
        self._add(Level.WARNING, message, at)

    def error(self, message: str, at: dt.datetime | None = None) -> None:
        self.errors += 1
        self._add(Level.ERROR, message, at)

    def ran(self, started: dt.datetime | None, ended: dt.datetime | None) -> None:
        self._times = {"started": started, "ended": ended} if started and ended else {}

    def adopt(self, numbers: Sequence[int]) -> None:
        adopt_these(get_engine(self.job.engine), numbers)

    def end(self, level: str, message: str) -> None:
        """Add how the job ended as the last line of its log, even to one that is full."""
        if self._left_out:
            self._append(Level.INFO, f"{self._left_out} more lines were omitted.", None)
        self.errors += level != Level.INFO
        self._append(level, message, self._times.get("ended"))
        logger.log(SEVERITY[level], "Job %s has ended: %s", self.job.pk, storable(message))

    def expect(self, size: int) -> None:
        self._progress["bytes_expected"] = countable(size)

    def tick(self, files: int | None = None, size: int | None = None) -> None:
        done = {"files_done": files, "bytes_done": size}
        known = {name: value for name, value in done.items() if value is not None}
        self._progress |= {name: countable(value) for name, value in known.items()}
        if monotonic() - self._written >= EVERY:
            self._beat()

    def flush(self) -> None:
        """Write the buffered lines."""
        lines, self._lines = self._lines, []
        try:
            JobLog.objects.bulk_create(lines)
        except OperationalError:
            self._lines = lines
            raise

    def progress(self) -> dict[str, int]:
        """Return the fields of the job that show its progress."""
        return self._progress | {"errors": self.errors}

    def outcome(self) -> dict[str, Any]:
        """Return the fields of a job that ends: its progress, and when it ran if that is known."""
        return self.progress() | self._times

    def _add(self, level: str, message: str, at: dt.datetime | None) -> None:
        self._count += 1
        if self._count > MAX_LINES:
            self._left_out += 1
            return
        self._append(level, message, at)
        if len(self._lines) % MAX_PENDING == 0:
            self._write(self.flush)

    def _append(self, level: str, message: str, at: dt.datetime | None) -> None:
        text = storable(message)[:MAX_LINE]
        time = at or timezone.now()
        self._lines.append(JobLog(job=self.job, time=time, level=level, message=text))

    def _beat(self) -> None:
        self._written = monotonic()
        self._write(self.flush)
        if self._write(self._keep_alive) is False:
            raise Canceled

    def _keep_alive(self) -> bool:
        return states.keep_alive(self.job.pk, self.worker, **self.progress())

    def _write(self, write: Callable[[], T]) -> T | None:
        """Write to the database; a short outage must not end the work of hours."""
        try:
            return write()
        except OperationalError:
            logger.warning("The heartbeat of job %s could not be stored.", self.job.pk)
            connection.close_if_unusable_or_obsolete()
            return None


def countable(number: int) -> int:
    """Return a number of bytes that fits into a column; sparse files together can exceed it."""
    return min(number, MAX_NUMBER)
