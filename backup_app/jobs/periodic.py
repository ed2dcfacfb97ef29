"""The periodic work of all workers, every few seconds."""

import logging
from collections.abc import Callable

from django.core.cache import cache

from ..accounts import audit, throttling
from ..services import downloads, usage
from . import execute, readiness, reap, resume, scheduler, tasks
from .adoption import watch

HOUR = 3600  # seconds

logger = logging.getLogger(__name__)


def tick() -> None:
    """Do one round of the periodic work.

    Dead jobs are ended first, because their clients can have no other active job until then. A step
    that fails is logged, and the others are still done.
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
        note_usage,
        readiness.note_faults,
    ):
        _attempt(step)


def forget_logins() -> None:
    """Delete old records of logins, at most once an hour: there may be very many."""
    if cache.add("backup:logins-are-forgotten", 1, HOUR):
        audit.forget_wrong_logins()
        throttling.forget_attempts()


def note_usage() -> None:
    """Store how much backups take, once an hour."""
    if cache.add("backup:usage-is-noted", 1, HOUR):
        usage.note()


def _attempt(step: Callable[[], object]) -> None:
    try:
        step()
    except Exception:
        logger.exception("The periodic step '%s' of backups failed.", step.__name__)
