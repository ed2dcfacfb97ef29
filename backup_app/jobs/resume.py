"""Looking after the jobs that go on in their engine while no worker is at them."""

import datetime as dt

from django.db.models import Q
from django.utils import timezone

from ..engines import resuming_engines
from ..models import Job
from ..models.job import ACTIVE
from . import execute, tasks

EVERY = dt.timedelta(seconds=2)


def resume_all() -> int:
    """Look once after each job that was set aside; return how many were looked after.

    Of an engine that turns out to be away the others wait until the next time.
    """
    return sum(_resume_of(alias) for alias in resuming_engines())


def _resume_of(alias):
    pks = _due(alias)
    for number, pk in enumerate(pks):
        if not execute.resume(pk):
            return number
        tasks.conclude(pk)
    return len(pks)


def _due(alias):
    """Return the jobs of an engine that were not looked after for a while, longest ago first."""
    due = Q(seen=None) | Q(seen__lt=timezone.now() - EVERY)
    jobs = Job.objects.filter(due, engine=alias, status__in=ACTIVE, worker="")
    return list(jobs.order_by("seen").values_list("pk", flat=True))
