"""The background workers, and what keeps them from doing jobs."""

from collections.abc import Iterator

from django.utils import timezone
from django_tasks_db.backend import DatabaseBackend

from ..jobs import heartbeat, readiness
from ..lib.formatting import counted
from ..models import Worker
from ..models.worker import ALIVE
from .finding import Finding, failed, ok, skipped

START = "Start one with 'manage.py serve' or 'manage.py worker', or see its log."


def examine() -> Iterator[Finding]:
    """Yield whether workers give signs of life, and each fault that they have noted."""
    backend = heartbeat.wake.get_backend()
    if not isinstance(backend, DatabaseBackend):
        yield skipped(f"The workers of '{type(backend).__name__}' give no signs of life.")
    elif alive := Worker.objects.alive().count():
        yield ok(f"{counted(alive, 'background worker')} running.")
    else:
        yield failed(f"No background worker is running{_last_sign()}.", START)
    for fault in readiness.faults():
        yield failed(fault, "That worker looks again every few seconds.")


def _last_sign() -> str:
    last = Worker.objects.order_by("-seen").values_list("seen", flat=True).first()
    if last is None:
        return ""
    silent = timezone.now() - last
    return f": the last sign of life is {max(silent, ALIVE).seconds} seconds old"
