"""Polling the jobs that continue in their engine without a worker."""

import datetime as dt
import math
import time
from collections.abc import Iterable

from django.db.models import QuerySet
from django.utils import timezone

from ..engines import get_engine, resuming_engines
from ..exceptions import EngineError
from ..models import Job
from ..models.job import ACTIVE
from . import execute, tasks

EVERY = dt.timedelta(seconds=2)  # between two polls of a job, by whichever worker
OFTEN = 0.1  # seconds between two looks at whether jobs have ended
IDLE = 2  # seconds between two looks for such jobs, unless this process has left one


class Follower:
    """Resumes jobs as soon as they have ended in their engine; ``look`` is called every OFTEN."""

    def __init__(self) -> None:
        self._next = -math.inf

    def look(self) -> None:
        if not execute.left.is_set() and time.monotonic() < self._next:
            return
        execute.left.clear()
        followed = [alias for alias in resuming_engines() if _follow(alias)]
        self._next = -math.inf if followed else time.monotonic() + IDLE


def resume_all() -> int:
    """Poll each job that was left to its engine once; return how many.

    Once an engine proves to be unreachable, its other jobs wait until the next round.
    """
    return sum(_resume(_due(_left_to(alias))) for alias in resuming_engines())


def _follow(alias: str) -> bool:
    """Resume the jobs of an engine that have ended, and those due; return whether to look again."""
    jobs = list(_left_to(alias))
    if not jobs:
        return False
    try:
        ended = get_engine(alias).ended(jobs)
    except EngineError:
        return False  # polling the jobs says so
    pks = dict.fromkeys([*ended, *_due(jobs)])
    return _resume(list(pks)) == len(pks)


def _resume(pks: list[int]) -> int:
    for number, pk in enumerate(pks):
        if not execute.resume(pk):
            return number
        tasks.conclude(pk)
    return len(pks)


def _left_to(alias: str) -> QuerySet[Job]:
    """Return the jobs that were left to an engine, those first that were polled longest ago."""
    return Job.objects.filter(engine=alias, status__in=ACTIVE, worker="").order_by("seen")


def _due(jobs: Iterable[Job]) -> list[int]:
    """Return the IDs of those of jobs that were not polled for a while."""
    before = timezone.now() - EVERY
    return [job.pk for job in jobs if job.seen is None or job.seen < before]
