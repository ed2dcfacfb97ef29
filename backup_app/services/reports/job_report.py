"""What the page of a job tells: how far it is, and the backups before and after it."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import Q
from django.utils import timezone

from ...models import Job

SHOWN = 30  # jobs on each side of the chain


@dataclass(frozen=True)
class Progress:
    """How far a job is; None is unknown."""

    percent: int
    done: int  # bytes, and files
    files: int
    expected: int | None
    speed: float | None  # bytes a second
    remaining: dt.timedelta | None


@dataclass(frozen=True)
class Chain:
    """The jobs that a job needs, and those that need it."""

    before: list[Job]
    after: list[Job]
    more_after: int


def progress_of(job: Job) -> Progress:
    """Return how far a job is, with its average speed."""
    done = job.bytes_done if job.is_open else job.bytes
    files = job.files_done if job.is_open else job.files
    passed = ((job.ended or timezone.now()) - job.started).total_seconds() if job.started else 0
    speed = done / passed if passed > 0 and done else None
    expected = job.bytes_expected or None
    left = expected - done if expected and job.is_open else None
    remaining = dt.timedelta(seconds=max(0, left) / speed) if speed and left is not None else None
    return Progress(job.percent_done, done, files, expected, speed, remaining)


def chain_of(job: Job) -> Chain:
    """Return the backups that a job builds on or reads, oldest first, and the jobs that need it."""
    before = Q(dependent_links__job=job) | Q(children=job)
    after = Q(source_links__source=job) | Q(parent=job)
    jobs = Job.objects.exclude(pk=job.pk).distinct()
    needed_by = jobs.filter(after).order_by("pk")
    total = needed_by.count()
    return Chain(
        list(jobs.filter(before).order_by("pk")[:SHOWN]),
        list(needed_by[:SHOWN]),
        max(0, total - SHOWN),
    )
