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
