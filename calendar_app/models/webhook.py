from django.db import models
from django.utils import timezone


class EventType(models.TextChoices):
    CREATED = "event.created", "an event is created"
    CHANGED = "event.changed", "an event is changed"
    PUBLISHED = "event.published", "an event is published"
    WITHDRAWN = "event.withdrawn", "an event is withdrawn from the public"
    DELETED = "event.deleted", "an event is trashed or deleted"


def every_type() -> list[str]:
    return list(EventType.values)


class Webhook(models.Model):
    """An address that is told of events; see ``calendar_app.webhooks``."""

    name = models.CharField(max_length=100)
    url = models.URLField("URL", max_length=2000)
    types = models.JSONField("sent when", default=every_type)
    sees_all = models.BooleanField(
        "also what the public may not see",
        default=False,
        help_text="Drafts, private, hidden and protected events, with all details.",
    )
    is_active = models.BooleanField("active", default=True)
    # Signs what is sent: whoever has it can forge messages.
    secret = models.CharField(max_length=100, editable=False)
    created = models.DateTimeField(default=timezone.now, editable=False)

    class Meta:
        ordering = ["name", "id"]

    def __str__(self):
        return self.name


class WebhookDelivery(models.Model):
    """A message to a webhook, and how its last attempt ended."""

    class Status(models.TextChoices):
        WAITING = "waiting", "Waiting"
        DELIVERED = "delivered", "Delivered"
        FAILED = "failed", "Failed"

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    # The same in each attempt, so that a receiver can tell a repetition.
    message_id = models.CharField(max_length=40, editable=False)
    type = models.CharField(max_length=20, choices=EventType)
    event_id = models.PositiveBigIntegerField()  # it may be deleted
    # As its webhook was when the message was made: that may have more rights by now, or fewer.
    sees_all = models.BooleanField("shows what the public may not see", editable=False)
    body = models.TextField()
    status = models.CharField(max_length=10, choices=Status, default=Status.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    outcome = models.CharField("last outcome", max_length=500, blank=True)
    created = models.DateTimeField(default=timezone.now, db_index=True)
    next_attempt = models.DateTimeField(null=True)
    delivered = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created", "-id"]
        verbose_name_plural = "webhook deliveries"
        constraints = [
            models.UniqueConstraint(
                fields=["webhook", "message_id"], name="calendar_webhook_message_once"
            )
        ]

    def __str__(self):
        return f"{self.type} {self.event_id}"
