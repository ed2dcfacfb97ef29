"""Alerts: who is told of what, what they know, and the messages on their way."""

from django.core.validators import MaxLengthValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from ..conf import conf
from .client import Client
from .job import Job
from .maintenance import MaintenancePlan
from .storage import Storage


class AlertEvent(models.TextChoices):
    JOB_FAILED = "job.failed", "job failed"
    JOB_WARNINGS = "job.warnings", "job ended with warnings"
    CLIENT_OVERDUE = "client.overdue", "client overdue"
    STORAGE_LOW = "storage.low", "storage low on space"
    STORAGE_MISSING = "storage.missing", "storage missing"
    VERIFICATION_FAILED = "verification.failed", "verification failed"
    MAINTENANCE_FAILED = "maintenance.failed", "scheduled maintenance failed"
    RECOVERED = "recovered", "recovered"


def every_event() -> list[str]:
    return list(AlertEvent.values)


class AlertRuleQuerySet(models.QuerySet["AlertRule"]):
    def active(self) -> "AlertRuleQuerySet":
        return self.filter(enabled=True)


class AlertRule(models.Model):
    """Which events are told, of whose clients, and where to.

    A rule without an account is the operator's: it is about all accounts and storages. One without
    clients is about all of its account's.
    """

    class Channel(models.TextChoices):
        MAIL = "mail"
        WEBHOOK = "webhook"

    class Summary(models.TextChoices):
        NONE = "", "none"
        DAILY = "daily", "every day at 08:00"
        WEEKLY = "weekly", "every Monday at 08:00"

    name = models.CharField(max_length=100)
    account = models.ForeignKey(
        conf.user_model, models.CASCADE, null=True, blank=True, related_name="backup_alert_rules"
    )
    clients = models.ManyToManyField(
        Client, blank=True, related_name="alert_rules", help_text="Empty for all."
    )
    events = models.JSONField(default=every_event)
    channel = models.CharField(max_length=10, choices=Channel, default=Channel.MAIL)
    target = models.TextField(
        validators=[MaxLengthValidator(2000)],
        help_text="E-mail addresses separated by commas, or the URL of a webhook.",
    )
    # Signs what a webhook receives: whoever has it can forge alerts.
    secret = models.CharField(max_length=100, blank=True, editable=False)
    summary = models.CharField(max_length=10, choices=Summary, blank=True, default=Summary.NONE)
    summarized = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Summaries up to this time were made."
    )
    enabled = models.BooleanField(default=True)
    created = models.DateTimeField(default=timezone.now, editable=False)

    objects = AlertRuleQuerySet.as_manager()

    class Meta:
        ordering = ["name", "id"]

    def __str__(self):
        return self.name

    @property
    def addresses(self) -> list[str]:
        """The addresses of a rule that sends mail."""
        return [part.strip() for part in self.target.split(",") if part.strip()]

    @property
    def place(self) -> str:
        """The target as anybody may see it: the path of a webhook's URL is often its password."""
        if self.channel != self.Channel.WEBHOOK:
            return self.target
        scheme, _, rest = self.target.partition("://")
        return f"{scheme}://{rest.partition('/')[0].partition('?')[0]}/…"


class AlertState(models.Model):
    """A problem that a rule was told of and that still lasts; no row is that all is well.

    ``subject`` says what it is about, as ``backup``; together with the client, storage and backup.
    """

    rule = models.ForeignKey(AlertRule, models.CASCADE, related_name="states")
    subject = models.CharField(max_length=60)
    event = models.CharField(max_length=30, choices=AlertEvent)
    client = models.ForeignKey(Client, models.CASCADE, null=True, related_name="+")
    storage = models.ForeignKey(Storage, models.CASCADE, null=True, related_name="+")
    backup = models.ForeignKey(Job, models.CASCADE, null=True, related_name="+")
    maintenance = models.ForeignKey(MaintenancePlan, models.CASCADE, null=True, related_name="+")
    since = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["rule", "subject"], name="alert_state_of_a_subject")
        ]

    def __str__(self):
        return f"{self.subject}: {self.event}"


class AlertDelivery(models.Model):
    """A message of a rule, with every attempt to send it."""

    class Status(models.TextChoices):
        WAITING = "waiting"
        SENT = "sent"
        GIVEN_UP = "given up"

    rule = models.ForeignKey(AlertRule, models.CASCADE, related_name="deliveries")
    # The same in each attempt, so that a receiver can tell a repetition.
    message_id = models.CharField(max_length=40, unique=True, editable=False)
    event = models.CharField(max_length=30)
    title = models.CharField(max_length=300)
    body = models.JSONField(editable=False)  # what a webhook receives: type, timestamp, data
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING)
    created = models.DateTimeField(default=timezone.now, db_index=True)
    due = models.DateTimeField(default=timezone.now, help_text="When the next attempt is due.")
    sent = models.DateTimeField(null=True, blank=True)
    tries = models.PositiveSmallIntegerField("attempts", default=0)
    # {"time", "outcome"} of the last attempts, oldest first.
    attempts = models.JSONField("log", default=list, editable=False)

    class Meta:
        verbose_name_plural = "alert deliveries"
        ordering = ["-id"]
        indexes = [
            models.Index(
                fields=["due"], condition=Q(status="waiting"), name="alert_deliveries_waiting"
            )
        ]

    def __str__(self):
        return self.title
