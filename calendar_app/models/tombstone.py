from django.db import models

from ..conf import conf


class Audience(models.TextChoices):
    PUBLIC = "public", "The public"
    WRITERS = "writers", "The author and editors"
    AUTHOR = "author", "A former author"


class Tombstone(models.Model):
    """Tells mirrors that a record has left the lists of an audience; it outlives the record.

    ``author`` is the author that the record had at that time. See ``services.tombstones``.
    """

    kind = models.CharField(max_length=10)
    record_id = models.PositiveBigIntegerField()
    audience = models.CharField(max_length=10, choices=Audience.choices)
    author = models.ForeignKey(conf.user_model, models.SET_NULL, null=True, related_name="+")
    modified_utc = models.DateTimeField()
    # For iCalendar: the UID of an imported event, and its start.
    source_id = models.CharField(max_length=255, blank=True)
    start_utc = models.DateTimeField(null=True)

    class Meta:
        ordering = ["modified_utc", "id"]
        indexes = [
            models.Index(fields=["kind", "modified_utc", "id"], name="calendar_tombstone_list"),
            models.Index(fields=["kind", "record_id"], name="calendar_tombstone_record"),
        ]

    def __str__(self):
        return f"{self.kind} {self.record_id}"
