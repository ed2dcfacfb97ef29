"""The processes that do background work."""

from datetime import timedelta

from django.db import models
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.db.models.functions import Now

from ..conf import conf

ALIVE = timedelta(seconds=30)  # since the last heartbeat; one comes every 5 seconds


class WorkerQuerySet(models.QuerySet["Worker"]):
    """Workers by the database's clock, which is the same for all hosts."""

    def alive(self) -> "WorkerQuerySet":
        return self.filter(seen__gte=_ago(ALIVE))

    def with_silence(self) -> "WorkerQuerySet":
        """Annotate ``is_silent``: no heartbeat for BACKUP_JOB_LOST_SECONDS."""
        silent = Q(seen__lt=_ago(timedelta(seconds=conf.JOB_LOST_SECONDS)))
        return self.annotate(is_silent=ExpressionWrapper(silent, output_field=BooleanField()))


class Worker(models.Model):
    """A background worker and its last heartbeat."""

    is_silent: bool  # set by ``with_silence``

    name = models.CharField(max_length=64, primary_key=True)  # in the queue of tasks
    process = models.CharField(max_length=300)
    started = models.DateTimeField(db_default=Now())
    seen = models.DateTimeField(db_default=Now(), db_index=True)

    objects = WorkerQuerySet.as_manager()

    class Meta:
        ordering = ["started", "name"]

    def __str__(self) -> str:
        return f"{self.name} on {self.process}"


def _ago(age: timedelta) -> ExpressionWrapper:
    return ExpressionWrapper(Now() - age, output_field=models.DateTimeField())
