"""What the page of a client tells of its backups."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.utils import timezone

from ...lib import cron
from ...models import Client, Job
from ...models.job import GOOD
from . import protection
from .protection import Standing

DAYS = 30  # of the strip


@dataclass(frozen=True)
class Day:
    """How the backups of a day ended: completed, warnings, failed, or none."""

    day: dt.date
    state: str


@dataclass(frozen=True)
class Report:
    """How a client stands, its last jobs, its next one, and the last days."""

    client: Client
    standing: Standing
    reason: str
    last_good: Job | None
    last_verify: Job | None
    open_jobs: list[Job]
    due: dt.datetime  # when the next good backup is overdue
    schedule: str  # in words, "" without one
    next_run: dt.datetime | None
    days: list[Day]


def of(client: Any) -> Report:
    """Return the report of a client of ``protection.with_standing``, with four queries."""
    now = timezone.now()
    jobs = client.jobs.order_by("-pk")
    schedule = client.effective_schedule
    next_run = _next_run(schedule, now)
    return Report(
        client=client,
        standing=protection.standing(client),
        reason=protection.reason(client),
        last_good=jobs.backups().good().first(),
        last_verify=jobs.whole_verifications().exclude(ended=None).first(),
        open_jobs=list(jobs.open()),
        due=protection.deadline(client, client.last_began),
        schedule=cron.in_words(schedule) if next_run else "",
        next_run=next_run,
        days=last_days(client),
    )


def last_days(client: Client) -> list[Day]:
    """Return how the backups of the last days ended, the oldest day first."""
    today = timezone.localdate()
    days = [today - dt.timedelta(days=number) for number in reversed(range(DAYS))]
    since = timezone.now() - dt.timedelta(days=DAYS + 1)
    ended = client.jobs.backups().filter(ended__gte=since).order_by()
    outcomes: dict[dt.date, set[str]] = {}
    for status, moment in ended.values_list("status", "ended"):
        outcomes.setdefault(timezone.localtime(moment).date(), set()).add(status)
    return [Day(day, _state(outcomes.get(day, set()))) for day in days]


def _state(statuses: set[str]) -> str:
    if not statuses & {*GOOD, Job.Status.FAILED}:
        return "none"
    if not statuses & {*GOOD}:
        return "failed"
    # One that failed before another succeeded is worth a look, too.
    return "completed" if statuses <= {Job.Status.COMPLETED, Job.Status.CANCELED} else "warnings"


def _next_run(schedule: str, now: dt.datetime) -> dt.datetime | None:
    try:
        return cron.next_time(schedule, now) if schedule else None
    except ValueError:
        return None  # as an engine of its own may have written it
