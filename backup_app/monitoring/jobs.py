"""Jobs by their state, the queue, and the workers that empty it."""

from itertools import product

from django.db.models import Count, Min
from django.utils import timezone

from ..jobs import readiness
from ..models import Job, Worker
from .families import gauge

NONE = dict.fromkeys(product(Job.Type.values, Job.Status.values), 0)


def families():
    """Yield the metrics of all jobs and workers, with three queries."""
    groups = Job.objects.order_by().values_list("type", "status")
    found = list(groups.annotate(Count("pk"), Min("created")))
    counts = NONE | {(kind, status): count for kind, status, count, _ in found}
    queued = [since for _, status, _, since in found if status == Job.Status.QUEUED]
    age = (timezone.now() - min(queued)).total_seconds() if queued else 0
    yield gauge("backup_jobs", "Jobs, by type and state.", ["type", "state"], counts)
    yield _number("backup_queue_oldest_seconds", "How long the oldest queued job has waited.", age)
    yield _number("backup_workers", "Background workers that are alive.", _workers())
    yield _number(
        "backup_worker_faults",
        "Problems that keep workers from running jobs, such as a disk that is not mounted.",
        len(readiness.faults()),
    )


def _workers():
    return Worker.objects.alive().count()


def _number(name, description, value):
    return gauge(name, description, [], {(): value})
