"""A job at work, as its engine sees it."""

import logging
import math
import time
from collections.abc import Sequence

from django.db import OperationalError, connection

from ..engines import get_engine
from ..exceptions import Canceled
from ..lib.formatting import storable
from ..models import Job, JobLog
from . import states
from .adoption.new_jobs import adopt_these

EVERY = 1.0  # seconds between two writes
MOST_LINES = 500  # that wait for the next write
MOST_KEPT = 10_000  # in the log; a client may complain without end
LONGEST_LINE = 5_000
MAX_NUMBER = 2**63 - 1

Level = JobLog.Level
SEVERITY: dict[str, int] = {
    Level.INFO: logging.INFO,
    Level.WARNING: logging.WARNING,
    Level.ERROR: logging.ERROR,
}
logger = logging.getLogger(__name__)


class JobRun:
    """Keeps a job's log, progress and sign of life; what ``engines.base.Run`` says.

    Lines wait for the next write, and ``flush`` writes the last ones. To be used by one thread.
    """

    def __init__(self, job: Job, worker: str, *, is_resumed: bool = False):
        self.job, self.worker = job, worker
        self.errors = job.errors  # lines so far that keep the job from ending as "completed"
        self._lines: list[JobLog] = []
        self._count = JobLog.objects.filter(job=job).count() if is_resumed else 0
        self._left_out = 0
        self._progress: dict[str, int] = {}
        # Who takes a job up asks first whether it is to end.
        self._written = -math.inf if is_resumed else time.monotonic()

    def info(self, message: str):
        self._add(Level.INFO, message)

    def warning(self, message: str):
        self.errors += 1
        self._add(Level.WARNING, message)

    def error(self, message: str):
        self.errors += 1
        self._add(Level.ERROR, message)

    def adopt(self, numbers: Sequence[int]):
        adopt_these(get_engine(self.job.engine), numbers)

    def end(self, level: str, message: str):
        """Write down how the job ended, as the last line of its log, however long that is."""
        if self._left_out:
            self._keep_line(Level.INFO, f"{self._left_out} more lines were left out.")
        self.errors += level != Level.INFO
        self._keep_line(level, message)
        logger.log(SEVERITY[level], "Job %s has ended: %s", self.job.pk, storable(message))

    def expect(self, size: int):
        self._progress["bytes_expected"] = countable(size)

    def tick(self, files: int | None = None, size: int | None = None):
        done = {"files_done": files, "bytes_done": size}
        known = {name: value for name, value in done.items() if value is not None}
        self._progress |= {name: countable(value) for name, value in known.items()}
        if time.monotonic() - self._written >= EVERY:
            self._beat()

    def flush(self):
        """Write the lines that wait."""
        lines, self._lines = self._lines, []
        try:
            JobLog.objects.bulk_create(lines)
        except OperationalError:
            self._lines = lines
            raise

    def progress(self) -> dict[str, int]:
        """Return the fields of the job that say how far it has come."""
        return self._progress | {"errors": self.errors}

    def _add(self, level, message):
        self._count += 1
        if self._count > MOST_KEPT:
            self._left_out += 1
            return
        self._keep_line(level, message)
        if len(self._lines) % MOST_LINES == 0:
            self._write(self.flush)

    def _keep_line(self, level, message):
        text = storable(message)[:LONGEST_LINE]
        self._lines.append(JobLog(job=self.job, level=level, message=text))

    def _beat(self):
        self._written = time.monotonic()
        self._write(self.flush)
        if self._write(self._keep) is False:
            raise Canceled

    def _keep(self):
        return states.keep(self.job.pk, self.worker, **self.progress())

    def _write(self, write):
        """Write to the database; one that is away for a moment does not end the work of hours."""
        try:
            return write()
        except OperationalError:
            logger.warning("The sign of life of job %s could not be written.", self.job.pk)
            connection.close_if_unusable_or_obsolete()


def countable(number: int) -> int:
    """Return a number of bytes as a database can keep it: sparse files can have more together."""
    return min(number, MAX_NUMBER)
