"""Jobs: backups, restores and verifications, with their logs."""

import datetime as dt

from django.db import models
from django.db.models import F, OuterRef, Q
from django.utils import timezone

from ..conf import conf
from .client import Client
from .fileset import Fileset
from .pool import Pool
from .storage import Storage

OPEN = ["queued", "running", "canceling"]
ACTIVE = ["running", "canceling"]  # a worker or the engine is running it
GOOD = ["completed", "warnings"]
READ = [*GOOD, "failed"]  # of verifications: one that was canceled says nothing of its backup
# A download is fetched in parts, and may continue for this long after it began or went on.
DOWNLOADED_WITHIN = dt.timedelta(days=1)


class JobQuerySet(models.QuerySet["Job"]):
    def open(self) -> "JobQuerySet":
        return self.filter(status__in=OPEN)

    def good(self) -> "JobQuerySet":
        """Return jobs that succeeded: backups to browse, restore and download."""
        return self.filter(status__in=GOOD)

    def backups(self) -> "JobQuerySet":
        return self.filter(type=Job.Type.BACKUP)

    def whole_verifications(self) -> "JobQuerySet":
        """Return verifications that read all of a backup; restore tests read a sample."""
        return self.filter(type=Job.Type.VERIFY, request__sample__isnull=True)

    def with_newest_verification(self) -> "JobQuerySet":
        """Annotate backups with what the last whole verification of each was, and how it ended."""
        ended = Job.objects.whole_verifications().filter(parent=OuterRef("pk"), status__in=READ)
        newest = ended.order_by("-pk")
        fields = ("pk", "status", "ended")
        return self.annotate(**{f"verification_{name}": newest.values(name)[:1] for name in fields})

    def being_read(self) -> "JobQuerySet":
        """Return backups that open jobs read or build on, or that were downloaded within a day."""
        recently = Q(downloaded__gt=timezone.now() - DOWNLOADED_WITHIN)
        return self.filter(recently | Q(children__status__in=OPEN)).distinct()

    def needing(self, backup: "Job") -> "JobQuerySet":
        """Return the good and open backups that build on a backup, and open jobs that read it."""
        builds_on = Q(source_links__source=backup, status__in=[*GOOD, *OPEN])
        users = self.filter(builds_on | Q(parent=backup, status__in=OPEN))
        return users.exclude(pk=backup.pk).distinct()


class Job(models.Model):
    class Type(models.TextChoices):
        BACKUP = "backup"
        RESTORE = "restore"
        VERIFY = "verify"

    class Level(models.TextChoices):
        FULL = "Full"
        DIFFERENTIAL = "Differential"
        INCREMENTAL = "Incremental"

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        CANCELING = "canceling"
        COMPLETED = "completed"
        WARNINGS = "warnings"
        FAILED = "failed"
        CANCELED = "canceled"

    account = models.ForeignKey(conf.user_model, models.CASCADE, related_name="backup_jobs")
    client = models.ForeignKey(Client, models.CASCADE, related_name="jobs")
    name = models.CharField(max_length=200)
    type = models.CharField(max_length=10, choices=Type)
    level = models.CharField(max_length=12, choices=Level, null=True, blank=True)  # noqa: DJ001
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    engine = models.CharField(max_length=50, help_text="Alias of an engine in BACKUP_ENGINES.")
    # The job's number in an engine that has its own, and further state of the engine.
    engine_job_id = models.BigIntegerField("engine's job ID", null=True, blank=True, editable=False)
    engine_state = models.JSONField(default=dict, blank=True, editable=False)
    fileset = models.ForeignKey(
        Fileset, models.SET_NULL, null=True, blank=True, related_name="jobs"
    )
    pool = models.ForeignKey(Pool, models.PROTECT, null=True, blank=True, related_name="jobs")
    storage = models.ForeignKey(Storage, models.PROTECT, null=True, blank=True, related_name="jobs")
    # What a restore or verification was asked to do: the selection, the destination.
    request = models.JSONField(default=dict, blank=True)
    parent = models.ForeignKey(
        "self",
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="children",
        help_text="The backup that this one builds on, restores or verifies.",
    )
    # The backups that a full restore of this one reads, oldest first, itself included.
    sources = models.ManyToManyField(
        "self", through="JobSource", symmetrical=False, related_name="dependents"
    )
    requested_by = models.CharField(max_length=254, blank=True)
    created = models.DateTimeField(auto_now_add=True)
    started = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    files = models.PositiveBigIntegerField(default=0)
    bytes = models.PositiveBigIntegerField(default=0)
    stored_bytes = models.PositiveBigIntegerField(default=0)
    errors = models.PositiveIntegerField(default=0)
    files_done = models.PositiveBigIntegerField(default=0)
    bytes_done = models.PositiveBigIntegerField(default=0)
    bytes_expected = models.PositiveBigIntegerField(default=0)
    message = models.CharField(max_length=1000, blank=True)
    # Of a restore: what was placed and what was left, as ``Findings.as_json`` says.
    report = models.JSONField(default=dict, blank=True, editable=False)
    # The process that runs the job; ``seen`` is its last heartbeat.
    worker = models.CharField(max_length=300, blank=True)
    has_leftovers = models.BooleanField(
        default=False,
        editable=False,
        help_text="Data of an unsuccessful job could not be removed yet.",
    )
    seen = models.DateTimeField(null=True, blank=True)
    downloaded = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When a download of the backup, or of a part of it, last began or went on.",
    )
    noticed = models.BooleanField(
        default=False, editable=False, help_text="Alerts know how this job ended."
    )

    objects = JobQuerySet.as_manager()

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(fields=["client", "type", "status", "id"], name="jobs_of_a_client"),
            models.Index(fields=["account", "status", "id"], name="jobs_of_an_account"),
            models.Index(fields=["account", "id"], name="jobs_newest_first"),
            models.Index(fields=["client", "id"], name="jobs_of_a_client_newest"),
            models.Index(fields=["client", "started"], name="jobs_by_start"),
            models.Index(fields=["status", "seen"], condition=Q(status__in=OPEN), name="open_jobs"),
            models.Index(fields=["ended"], condition=Q(status="failed"), name="failed_jobs"),
            models.Index(
                fields=["id"], condition=Q(has_leftovers=True), name="jobs_with_leftovers"
            ),
            models.Index(fields=["id"], condition=Q(noticed=False), name="jobs_to_notice"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["client"], condition=Q(status__in=ACTIVE), name="one_job_at_work_a_client"
            ),
            models.UniqueConstraint(
                fields=["client"],
                condition=Q(type="backup", status__in=OPEN),
                name="one_open_backup_a_client",
            ),
            models.UniqueConstraint(
                fields=["engine", "engine_job_id"], name="one_job_an_engine_job"
            ),
            models.CheckConstraint(
                condition=Q(ended=None) | Q(started=None) | Q(ended__gte=F("started")),
                name="job_ends_after_start",
            ),
        ]

    def __str__(self):
        return f"{self.pk} {self.name}"

    @property
    def is_open(self) -> bool:
        return self.status in OPEN

    @property
    def is_good(self) -> bool:
        return self.status in GOOD

    @property
    def percent_done(self):
        """How much is done, by bytes; 100 only once the job has succeeded."""
        if self.is_open and self.bytes_expected:
            return min(99, self.bytes_done * 100 // self.bytes_expected)
        return 100 if self.is_good else 0


class JobSource(models.Model):
    """A full restore of ``job`` reads ``source``; every good backup is a source of itself."""

    job = models.ForeignKey(Job, models.CASCADE, related_name="source_links")
    source = models.ForeignKey(Job, models.CASCADE, related_name="dependent_links")

    class Meta:
        ordering = ["source_id"]
        constraints = [
            models.UniqueConstraint(fields=["job", "source"], name="source_of_a_job"),
        ]

    def __str__(self):
        return f"{self.job_id} from {self.source_id}"


class JobLog(models.Model):
    class Level(models.TextChoices):
        INFO = "info"
        WARNING = "warning"
        ERROR = "error"

    job = models.ForeignKey(Job, models.CASCADE, related_name="log")
    time = models.DateTimeField(default=timezone.now)
    level = models.CharField(max_length=10, choices=Level, default=Level.INFO)
    message = models.TextField()

    class Meta:
        verbose_name = "job log line"
        ordering = ["id"]

    def __str__(self):
        return self.message


class Fault(models.Model):
    """A problem that keeps a worker from running jobs, as the worker last reported it."""

    worker = models.CharField(max_length=300)
    message = models.CharField(max_length=1000)
    seen = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]

    def __str__(self):
        return self.message
