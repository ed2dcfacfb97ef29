"""Polling the jobs that continue in their engine without a worker."""

import datetime as dt

from django.db.models import Q
from django.utils import timezone

from ..engines import resuming_engines
from ..models import Job
from ..models.job import ACTIVE
from . import execute, tasks

EVERY = dt.timedelta(seconds=2)  # between two polls of a job, by whichever worker


def resume_all() -> int:
    """Poll each job that was left to its engine once; return how many.

    Once an engine proves to be unreachable, its other jobs wait until the next round.
    """
    return sum(_resume_of(alias) for alias in resuming_engines())


def _resume_of(alias: str) -> int:
    pks = _due(alias)
    for number, pk in enumerate(pks):
        if not execute.resume(pk):
            return number
        tasks.conclude(pk)
    return len(pks)


def _due(alias: str) -> list[int]:
    """Return the jobs of an engine that were not polled for a while, longest ago first."""
    due = Q(seen=None) | Q(seen__lt=timezone.now() - EVERY)
    jobs = Job.objects.filter(due, engine=alias, status__in=ACTIVE, worker="")
    return list(jobs.order_by("seen").values_list("pk", flat=True))
