"""The periodic work of all workers, every few seconds."""

import logging
from collections.abc import Callable

from django.core.cache import cache

from ..accounts import audit, throttling
from ..alerts import conditions, deliveries, summaries
from ..alerts import jobs as ended_jobs
from ..models import Worker
from ..services import downloads
from ..services.reports import usage
from . import execute, readiness, reap, resume, scheduler, tasks
from .adoption import watch
from .maintenance import runs, schedule
from .worker_id import this_worker

MINUTE, HOUR = 60, 3600  # seconds

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
        schedule.start_due,
        runs.revive,
        tasks.enqueue_waiting,
        forget_logins,
        resume.resume_all,
        watch.adopt_jobs,
        downloads.tidy,
        note_usage,
        tasks.enqueue_indexing,
        readiness.note_faults,
    ):
        _attempt(step)


def alert() -> None:
    """Do one round of telling what went wrong.

    It may wait for mail servers and other receivers, so it is done beside ``tick``.
    """
    for step in (ended_jobs.look, watch_conditions, summaries.send_due, deliveries.send_due):
        _attempt(step)


def watch_conditions() -> None:
    """Look for clients and storages that need an alert, at most once a minute and on one host.

    A storage may be missing on one host and not on the other.
    """
    if _is_first_worker() and cache.add("backup:conditions-are-watched", 1, MINUTE):
        conditions.look()
    if cache.add("backup:deliveries-are-forgotten", 1, HOUR):
        deliveries.forget_old()


def _is_first_worker() -> bool:
    # Workers of other task backends are not known: then there is none.
    first = Worker.objects.alive().values_list("process", flat=True).first()
    return first in (None, this_worker())


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
