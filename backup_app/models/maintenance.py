"""What is done to backups on a schedule after they were made, and how it went."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from .pool import Pool
from .storage import Storage


class MaintenancePlan(models.Model):
    """A task that is done to a pool, or to a storage, whenever it is due."""

    class Task(models.TextChoices):
        PRUNE = "prune", "prune: remove what the pool no longer keeps"
        VERIFY = "verify", "verify: read backups again"
        TEST = "test", "restore test: restore some files, and compare them"
        CHECK = "check", "check: compare the storage's volumes with the catalog"

    task = models.CharField(max_length=10, choices=Task)
    pool = models.ForeignKey(
        Pool, models.CASCADE, null=True, blank=True, related_name="maintenance"
    )
    storage = models.ForeignKey(
        Storage,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="maintenance",
        help_text="Only of a check, which is about a storage instead of a pool.",
    )
    schedule = models.CharField(
        max_length=100, default="30 5 * * *", help_text="Cron expression, such as 30 5 * * *."
    )
    days = models.PositiveIntegerField(
        default=30,
        validators=[MinValueValidator(1), MaxValueValidator(3650)],
        help_text="Of verify: every backup is read again within so many days.",
    )
    files = models.PositiveIntegerField(
        default=20,
        validators=[MinValueValidator(1), MaxValueValidator(1000)],
        help_text="Of a restore test: how many files of each client.",
    )
    enabled = models.BooleanField(default=True)
    # As Client.scheduled: runs up to this time have been started.
    scheduled = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(task="check", pool=None, storage__isnull=False)
                | (~Q(task="check") & Q(pool__isnull=False, storage=None)),
                name="maintenance_of_a_pool_or_storage",
            )
        ]

    def __str__(self):
        return f"{self.task} of {self.subject}"

    @property
    def subject(self) -> str:
        return f"storage '{self.storage}'" if self.storage else f"pool '{self.pool}'"

    @property
    def account(self):
        """The account whose backups it is about; None where it is about several."""
        return self.pool.account if self.pool else None


class MaintenanceRun(models.Model):
    """One time that a plan was carried out."""

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        COMPLETED = "completed"
        PROBLEMS = "problems"
        FAILED = "failed"

    plan = models.ForeignKey(MaintenancePlan, models.CASCADE, related_name="runs")
    requested_by = models.CharField(max_length=254, blank=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    message = models.CharField(max_length=1000, blank=True)
    problems = models.JSONField(default=list, editable=False)  # sentences, the first hundred
    created = models.DateTimeField(default=timezone.now)
    started = models.DateTimeField(null=True, blank=True)
    ended = models.DateTimeField(null=True, blank=True)
    # The process that carries it out, and when a task for it was last added.
    worker = models.CharField(max_length=300, blank=True)
    seen = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["plan"],
                condition=Q(status__in=["queued", "running"]),
                name="one_open_run_a_plan",
            )
        ]

    def __str__(self):
        return f"{self.plan}: {self.status}"
