"""The catalog of the archive engine: what its volumes hold.

Names and paths are bytes, as they are on the client: any byte but NUL, and "/" in names.
"""

from django.db import models
from django.db.models import Q

from .client import Client
from .fields import BytesField
from .job import Job


class Folder(models.Model):
    """A folder of a client, the same in all of its jobs. The root is ``/``, with an empty name."""

    client = models.ForeignKey(Client, models.CASCADE, related_name="folders")
    parent = models.ForeignKey(
        "self", models.CASCADE, null=True, blank=True, related_name="folders"
    )
    name = BytesField()
    path = BytesField()
    # BLAKE2b of the path: indexes cannot hold paths, which have up to 4,096 bytes.
    path_hash = BytesField(max_length=16)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["client", "path_hash"], name="folder_of_a_client")
        ]

    def __str__(self):
        return self.path.decode(errors="replace")


class Entry(models.Model):
    """A file or folder that a job found new, changed or (``GONE``) deleted."""

    class Kind(models.TextChoices):
        FILE = "f", "file"
        DIRECTORY = "d", "directory"
        SYMLINK = "l", "symlink"
        HARDLINK = "h", "hardlink"
        FIFO = "p", "fifo"
        DEVICE = "b", "device"
        GONE = "-", "gone"

    job = models.ForeignKey(Job, models.CASCADE, related_name="entries")
    # The folder that holds it, found by the unique constraint's index.
    folder = models.ForeignKey(Folder, models.CASCADE, related_name="entries", db_index=False)
    # The folder that a directory's entry describes, else null. The root lies in itself.
    node = models.ForeignKey(
        Folder, models.CASCADE, null=True, blank=True, related_name="versions", db_index=False
    )
    name = BytesField()
    kind = models.CharField(max_length=1, choices=Kind)
    size = models.BigIntegerField(default=0)
    mtime_ns = models.BigIntegerField(default=0)
    ctime_ns = models.BigIntegerField(default=0)
    inode = models.BigIntegerField(default=0)  # unsigned 64 bits on the client, stored as signed
    mode = models.PositiveIntegerField(default=0)
    owner = models.CharField(max_length=100, blank=True)
    group = models.CharField(max_length=100, blank=True)
    target = BytesField(default=b"")  # of a symlink, as it is; of a hard link, absolute
    sha256 = BytesField(max_length=32, null=True)
    # Position of its headers, content and padding in the uncompressed tar, in bytes.
    offset = models.BigIntegerField(default=0)
    length = models.BigIntegerField(default=0)

    class Meta:
        verbose_name_plural = "entries"
        ordering = ["id"]
        # Partial, since most entries are files and each would cost an insertion into the index.
        indexes = [
            models.Index(fields=["node"], condition=Q(node__isnull=False), name="entries_of_a_node")
        ]
        constraints = [
            models.UniqueConstraint(fields=["folder", "name", "job"], name="entry_of_a_job")
        ]

    def __str__(self):
        return self.name.decode(errors="replace")


class Volume(models.Model):
    """The ``.tar.zst`` file of one job in its storage's folder; a manifest lies beside it."""

    job = models.OneToOneField(Job, models.CASCADE, related_name="volume")
    path = models.CharField(max_length=500, help_text="Relative to the storage's folder.")
    size = models.PositiveBigIntegerField()
    tar_size = models.PositiveBigIntegerField()  # bytes, without the blocks of zeros at the end
    sha256 = BytesField(max_length=32)
    names_indexed = models.BooleanField(default=False)  # see FolderNames

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(
                fields=["job"], condition=Q(names_indexed=False), name="volumes_without_names"
            )
        ]

    def __str__(self):
        return self.path


class FolderNames(models.Model):
    """Some of the names that backups have had in a folder, for searches: ``/one/two/``.

    Bytes that are not UTF-8 stand as private characters. PostgreSQL has an index of trigrams.
    """

    client = models.ForeignKey(Client, models.CASCADE, related_name="folder_names")
    folder = models.ForeignKey(Folder, models.CASCADE, related_name="names")
    names = models.TextField()

    class Meta:
        verbose_name_plural = "folder names"
        ordering = ["id"]

    def __str__(self):
        return self.names
