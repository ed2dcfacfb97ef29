from typing import Any

from django.db import models

from ..conf import conf
from .event import Event
from .organizer import Organizer
from .post import Status
from .term import Category

# What imported events may be at first.
IMPORTABLE = [Status.PUBLISH, Status.DRAFT, Status.PENDING, Status.PRIVATE]


class Feed(models.Model):
    """The address of another calendar, which is imported again and again.

    ``calendar_app.importing.feeds`` does so, and keeps the last result here.
    """

    class Every(models.IntegerChoices):
        HOUR = 1, "Every hour"
        SIX_HOURS = 6, "Every 6 hours"
        DAY = 24, "Every day"
        WEEK = 168, "Every week"

    class Kind(models.TextChoices):
        FILE = "file", "Calendar file (iCalendar)"
        SERVICE = "service", "Calendar service (REST, such as The Events Calendar of WordPress)"

    class Gone(models.TextChoices):
        KEEP = "keep", "Stay in the calendar"
        TRASH = "trash", "Go to the trash, if they have not begun"

    name = models.CharField(max_length=100)
    kind = models.CharField(max_length=10, choices=Kind, default=Kind.FILE)
    url = models.URLField(
        "address",
        max_length=2000,
        help_text="Of a file (.ics), such as other calendars offer to subscribe to; or of the API "
        "of a service, such as https://example.org/wp-json/tribe/events/v1.",
    )
    every = models.PositiveSmallIntegerField("how often", choices=Every, default=Every.DAY)
    is_active = models.BooleanField("active", default=True)
    event_status = models.CharField(
        "new events become",
        max_length=10,
        choices=[(each.value, each.label) for each in IMPORTABLE],
        default=Status.PUBLISH,
    )
    categories: models.ManyToManyField[Any, Any] = models.ManyToManyField(
        Category, blank=True, help_text="Its events get these beside their own."
    )
    organizer = models.ForeignKey(
        Organizer,
        models.SET_NULL,
        null=True,
        blank=True,
        help_text="For events of the feed that name none.",
    )
    gone = models.CharField(
        "events that the feed no longer has", max_length=10, choices=Gone, default=Gone.KEEP
    )
    takes_over = models.BooleanField(
        "also change events that were imported from elsewhere",
        default=False,
        help_text="Those with the same UID or ID, as when the same calendar was imported by hand.",
    )
    owner = models.ForeignKey(
        conf.user_model,
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="The author of its events, who has to be allowed to import.",
    )

    next_import = models.DateTimeField(null=True, editable=False, db_index=True)
    running_since = models.DateTimeField(null=True, editable=False)
    # What the server wants to hear the next time, so that it can say that nothing has changed.
    validators = models.JSONField(default=dict, editable=False)
    read_in_full = models.DateTimeField(null=True, editable=False)

    last_import = models.DateTimeField(null=True, editable=False)
    last_success = models.DateTimeField(null=True, editable=False)
    failures = models.PositiveIntegerField("failures in a row", default=0, editable=False)
    # By the last import that has read the feed.
    made = models.PositiveIntegerField("new", default=0, editable=False)
    changed = models.PositiveIntegerField(default=0, editable=False)
    trashed = models.PositiveIntegerField(default=0, editable=False)
    skipped = models.PositiveIntegerField(default=0, editable=False)
    problem = models.CharField("first problem", max_length=1000, blank=True, editable=False)

    class Meta:
        ordering = ["name", "id"]

    def __str__(self):
        return self.name


class FeedEvent(models.Model):
    """An event that a feed has made or taken over; no other feed changes it."""

    feed = models.ForeignKey(Feed, models.CASCADE, related_name="event_links")
    event = models.OneToOneField(Event, models.CASCADE, related_name="feed_link")

    def __str__(self):
        return f"event {self.event_id}"
