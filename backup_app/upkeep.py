"""What is to be done every few seconds, by any worker."""

import logging
from collections.abc import Callable

from . import adoption, audit, preparing, readiness, reaping, resuming, schedules, tasks

logger = logging.getLogger(__name__)


def tick() -> None:
    """End jobs whose worker died, start what is due, bring lost tasks back, forget old guesses.

    Then look after the jobs that go on in their engines, find those that others started there, and
    remove downloads that nobody wants any more. At last note what keeps this worker from jobs.

    A step that goes wrong is logged, and the next ones are done all the same.
    """
    for step in (
        reaping.reap,
        adoption.keep_schedules,
        schedules.forget_unscheduled,
        schedules.start_due,
        tasks.enqueue_waiting,
        audit.forget_guesses,
        resuming.resume_all,
        adoption.adopt_jobs,
        preparing.tidy,
        readiness.note_faults,
    ):
        _attempt(step)


def _attempt(step: Callable[[], object]) -> None:
    try:
        step()
    except Exception:
        logger.exception("The upkeep of backups went wrong at '%s'.", step.__name__)
