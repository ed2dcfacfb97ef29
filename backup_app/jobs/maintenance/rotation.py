"""Whose turn it is to be read again, so that every backup is read within some days."""

import datetime as dt
from dataclasses import dataclass
from math import ceil

from django.db.models import Max
from django.utils import timezone

from ...lib import cron
from ...models import Job, Pool
from ...models.job import READ


@dataclass(frozen=True)
class Turn:
    """The backups to read now, of how many."""

    backups: list[Job]
    total: int


def next_turn(pool: Pool, schedule: str, days: int) -> Turn:
    """Return the backups of a pool that were not read for longest.

    As many as it takes to spread all over the runs of so many days, and all whose days would be
    over by the next run. The writing of a backup counts as its first reading.
    """
    found = _by_age(pool)
    following = cron.next_time(schedule, timezone.now())
    limit = following - dt.timedelta(days=days)
    late = sum(1 for _, read in found if read <= limit)
    number = max(ceil(len(found) / _runs(schedule, following, days)), late)
    chosen = [job for job, _ in found[:number]]
    waiting = Job.objects.open().whole_verifications().filter(parent__pool=pool)
    read_now = set(waiting.values_list("parent", flat=True))
    return Turn([job for job in chosen if job.pk not in read_now], len(found))


def _by_age(pool: Pool) -> list[tuple[Job, dt.datetime]]:
    """Return the good backups of a pool and when each was last read, longest ago first."""
    verifications = Job.objects.whole_verifications().filter(parent__pool=pool, status__in=READ)
    read = dict(verifications.order_by().values_list("parent").annotate(Max("ended")))
    jobs = Job.objects.backups().good().filter(pool=pool, client__deleted=None)
    related = jobs.select_related("client", "fileset", "pool", "storage").order_by("pk")
    found = [(job, read.get(job.pk) or job.ended or job.created) for job in related]
    return sorted(found, key=lambda each: each[1])


def _runs(schedule: str, following: dt.datetime, days: int) -> int:
    """Return about how many runs there are in so many days."""
    pause = cron.next_time(schedule, following) - following
    return max(1, int(dt.timedelta(days=days) / pause))
