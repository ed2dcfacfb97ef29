from django.db import models
from django.utils import timezone


class Revision(models.Model):
    """The single row that counts the writes to the calendar; see ``services.revision``."""

    stamp = models.PositiveBigIntegerField(default=0)
    changed_at = models.DateTimeField(default=timezone.now)
    # Each write reads it here without a query of its own.
    has_webhooks = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(pk=1), name="calendar_revision_single_row")
        ]

    def __str__(self):
        return str(self.stamp)


class Change(models.Model):
    """The records whose representations the write with this stamp changed, and no others.

    A write without such a row may have changed any; see ``services.revision``.
    """

    stamp = models.PositiveBigIntegerField(db_index=True)
    records = models.JSONField(help_text="Pairs of the name of a model and an ID.")

    def __str__(self):
        return str(self.stamp)
