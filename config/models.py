"""What the project keeps of its own running processes."""

from datetime import timedelta

from django.db import models
from django.db.models import ExpressionWrapper
from django.db.models.functions import Now

ALIVE = timedelta(seconds=30)
LOST = timedelta(minutes=5)


class WorkerQuerySet(models.QuerySet):
    """Workers by the database's clock, which is the same for all hosts."""

    def alive(self):
        return self.filter(seen__gte=_ago(ALIVE))

    def lost(self):
        """Return workers that ended without saying so."""
        return self.filter(seen__lt=_ago(LOST))


class Worker(models.Model):
    """A background worker and when it last said that it runs."""

    name = models.CharField(max_length=64, primary_key=True)
    host = models.CharField(max_length=255)
    started = models.DateTimeField(db_default=Now())
    seen = models.DateTimeField(db_default=Now(), db_index=True)

    objects = WorkerQuerySet.as_manager()

    class Meta:
        ordering = ["started", "name"]

    def __str__(self):
        return f"{self.name} on {self.host}"


def _ago(age):
    return ExpressionWrapper(Now() - age, output_field=models.DateTimeField())
