"""The periodic work, which any worker does every few seconds."""

import logging
from collections.abc import Callable

from django.core.cache import cache

from ..accounts import audit, throttling
from ..services import downloads
from . import execute, readiness, reap, resume, scheduler, tasks
from .adoption import watch

HOUR = 3600  # seconds

logger = logging.getLogger(__name__)


def tick() -> None:
    """End jobs whose worker died, remove what failed ones could not, and start what is due.

    Bring lost tasks back and forget old logins.

    Then look after the jobs that go on in their engines, find those that others started there, and
    remove downloads that nobody wants any more. At last note what keeps this worker from jobs.

    A step that goes wrong is logged, and the next ones are done all the same.
    """
    for step in (
        reap.reap,
        execute.discard_leftovers,
        watch.keep_schedules,
        scheduler.forget_unscheduled,
        scheduler.start_due,
        tasks.enqueue_waiting,
        forget_logins,
        resume.resume_all,
        watch.adopt_jobs,
        downloads.tidy,
        readiness.note_faults,
    ):
        _attempt(step)


def forget_logins() -> None:
    """Forget old failures to log in, once an hour: there are few, or very many."""
    if cache.add("backup:logins-are-forgotten", 1, HOUR):
        audit.forget_wrong_logins()
        throttling.forget_attempts()


def _attempt(step: Callable[[], object]) -> None:
    try:
        step()
    except Exception:
        logger.exception("The periodic step '%s' of backups failed.", step.__name__)
