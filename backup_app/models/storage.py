"""Where backups are kept: zones, each with an engine, and the storages in them."""

from django.db import models

from .adoptable import Adoptable


class Zone(models.Model):
    """A site or network whose machines are backed up by one engine."""

    name = models.SlugField(unique=True)
    title = models.CharField(max_length=200, blank=True)
    engine = models.CharField(
        max_length=50, default="default", help_text="Alias of an engine in BACKUP_ENGINES."
    )

    class Meta:
        ordering = ["name"]

    def __str__(self):
        return self.title or self.name


class Storage(Adoptable):
    """A folder that volumes are written to, or a device of an engine such as Bacula."""

    class Kind(models.TextChoices):
        FOLDER = "folder"
        DEVICE = "device", "device of the engine"

    name = models.SlugField(unique=True)
    zone = models.ForeignKey(Zone, models.PROTECT, related_name="storages")
    kind = models.CharField(max_length=30, choices=Kind, default=Kind.FOLDER, editable=False)
    path = models.CharField(max_length=500, blank=True, help_text="Absolute path of the folder.")
    capacity = models.PositiveBigIntegerField(
        null=True,
        blank=True,
        help_text="Bytes that may be used; empty for the whole disk.",
    )

    # Also in a file in the folder, which is missing while a disk is not mounted. Null before use.
    label = models.UUIDField(null=True, blank=True, unique=True, editable=False)

    engine_fields = ("zone", "path")

    class Meta:
        ordering = ["name"]

    def __str__(self):
        return self.name
