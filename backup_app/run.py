"""A job at work, as its engine sees it."""

import logging
import time

from django.db import OperationalError, connection

from . import states
from .exceptions import Canceled
from .models import Job, JobLog

EVERY = 1.0  # seconds between two writes
MOST_LINES = 500  # that wait for the next write
MAX_NUMBER = 2**63 - 1

Level = JobLog.Level
logger = logging.getLogger(__name__)


class JobRun:
    """Keeps a job's log, progress and sign of life; what ``engines.base.Run`` says.

    Lines wait for the next write, and ``flush`` writes the last ones. To be used by one thread.
    """

    def __init__(self, job: Job, worker: str):
        self.job, self.worker = job, worker
        self.errors = job.errors  # lines so far that keep the job from ending as "completed"
        self._lines: list[JobLog] = []
        self._progress: dict[str, int] = {}
        self._written = time.monotonic()

    def info(self, message: str):
        self._add(Level.INFO, message)

    def warning(self, message: str):
        self.errors += 1
        self._add(Level.WARNING, message)

    def error(self, message: str):
        self.errors += 1
        self._add(Level.ERROR, message)

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
        self._lines.append(JobLog(job=self.job, level=level, message=storable(message)))
        if len(self._lines) % MOST_LINES == 0:
            self._write(self.flush)

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


def storable(message: str) -> str:
    """Return a text as every database can keep it: without NUL and halves of surrogate pairs."""
    return message.encode(errors="replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")
