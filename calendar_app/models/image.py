from django.db import models
from django.utils import timezone

from ..conf import conf


class Image(models.Model):
    """An uploaded or fetched picture and its smaller copies."""

    file = models.ImageField(
        upload_to="calendar/%Y/%m/", width_field="width", height_field="height", max_length=255
    )
    title = models.CharField(max_length=255, blank=True)
    width = models.PositiveIntegerField(editable=False, default=0)
    height = models.PositiveIntegerField(editable=False, default=0)
    filesize = models.PositiveBigIntegerField(editable=False, default=0, help_text="bytes")
    # {"thumbnail": {"width", "height", "mime-type", "filesize", "file"}, "medium": {...}}
    sizes = models.JSONField(editable=False, default=dict)
    source_url = models.URLField(
        max_length=2000, blank=True, db_index=True, help_text="Where it was fetched from."
    )
    author = models.ForeignKey(
        conf.user_model, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["-id"]

    def __str__(self):
        return self.title or self.file.name
