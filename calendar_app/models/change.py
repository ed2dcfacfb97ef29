from django.db import models
from django.db.models import Q
from django.utils import timezone

from ..conf import conf


class Change(models.Model):
    """What a write did to a record: a version of it; see ``services.history``.

    The first row of a write also has ``records``, those whose representations the write changed,
    and no others; a write without any may have changed all. See ``services.revision``. A write that
    is not kept as history has one row with ``records`` alone.
    """

    class Verb(models.TextChoices):
        CREATED = "created"
        CHANGED = "changed"
        DELETED = "deleted"
        # Its values are those that were lost, not all: what it was linked to was deleted.
        UNLINKED = "unlinked", "Link removed"

    stamp = models.PositiveBigIntegerField(default=0)
    records = models.JSONField(null=True, help_text="Pairs of the name of a model and an ID.")
    at = models.DateTimeField(default=timezone.now)
    kind = models.CharField(max_length=10, blank=True)
    record_id = models.PositiveBigIntegerField(null=True)
    verb = models.CharField(max_length=10, choices=Verb.choices, blank=True)
    title = models.CharField(max_length=200, blank=True, help_text="What it was called then.")
    values = models.JSONField(default=dict, help_text="{field: [before, after]}")
    # Without indexes: both are only read of rows that are found by others.
    user = models.ForeignKey(
        conf.user_model, models.SET_NULL, null=True, related_name="+", db_index=False
    )
    door = models.CharField(max_length=100, blank=True, help_text="Through what it was changed.")

    class Meta:
        indexes = [
            models.Index(
                fields=["stamp"], condition=Q(records__isnull=False), name="calendar_change_stamp"
            ),
            models.Index(
                fields=["kind", "record_id", "id"],
                condition=~Q(kind=""),
                name="calendar_change_record",
            ),
        ]

    def __str__(self):
        return f"{self.title} {self.verb}".strip() or str(self.stamp)
