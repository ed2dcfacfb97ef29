import datetime as dt
from typing import Any

from django.contrib.auth.hashers import check_password, make_password
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q

from .. import permissions
from ..conf import conf
from ..permissions import User
from ..values import time_zones
from .fields import WallTimeField
from .organizer import Organizer
from .post import Post, PostQuerySet, Status
from .series import Series
from .term import Category, Tag
from .tree import is_within
from .venue import Venue

TIMES = {"start_date", "end_date", "all_day", "timezone"}
DERIVED = {"timezone_abbr", "start_utc", "end_utc", "duration"}
DAY_START, DAY_END = dt.time(0, 0, 0), dt.time(23, 59, 59)


# The events that the public finds in lists with all details.
LISTED = {"status": Status.PUBLISH, "hide_from_listings": False, "password": ""}


class EventQuerySet(PostQuerySet):
    def listed(self) -> "EventQuerySet":
        """Keep the events that lists show to the public with all details."""
        return self.filter(**LISTED)

    def disclosed_to(self, user: User) -> "EventQuerySet":
        """Keep the events whose details user may read without a password."""
        return self.visible_to(user).open_to(user)

    def open_to(self, user: User, **also: Any) -> "EventQuerySet":
        """Keep user's own events, and those of others without a password that also match also."""
        if permissions.may_edit_others(user, self.model):
            return self
        own = Q(author=user) if user.is_authenticated else Q(pk__in=())
        return self.filter(Q(password="", **also) | own)

    def listed_to(self, user: User) -> "EventQuerySet":
        """Keep the events that lists may show to user with all details."""
        return self.visible_to(user).open_to(user, hide_from_listings=False)


class Event(Post):
    title = models.TextField()
    all_day = models.BooleanField(default=False)
    start_date = WallTimeField("start")
    end_date = WallTimeField("end")
    timezone = models.CharField(
        "time zone", max_length=64, blank=True, help_text="The site's when empty."
    )
    # Derived from the fields above, and stored so that reading needs no time zone arithmetic.
    timezone_abbr = models.CharField(max_length=64, editable=False)
    start_utc = models.DateTimeField("start (UTC)", editable=False)
    end_utc = models.DateTimeField("end (UTC)", editable=False)
    duration = models.PositiveBigIntegerField(editable=False, help_text="seconds")

    cost = models.CharField(max_length=2000, blank=True)
    website = models.URLField(max_length=2000, blank=True)
    show_map = models.BooleanField(default=True)
    show_map_link = models.BooleanField(default=True)
    hide_from_listings = models.BooleanField(default=False)
    sticky = models.BooleanField(default=False)
    featured = models.BooleanField(default=False)
    ticketed = models.BooleanField(default=False)
    password = models.CharField(max_length=128, blank=True, editable=False, help_text="Hashed.")
    parent = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="children", db_index=False
    )
    custom_fields = models.JSONField(default=dict, blank=True)

    # Of an occurrence of a series: the date that the rule gives it, in the series' zone, and
    # whether it was changed by itself.
    series = models.ForeignKey(
        Series,
        models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        db_index=False,
        related_name="events",
    )
    original_start = WallTimeField(null=True, blank=True, editable=False)
    is_override = models.BooleanField(default=False, editable=False)

    categories = models.ManyToManyField(Category, blank=True, related_name="events")
    tags = models.ManyToManyField(Tag, blank=True, related_name="events")
    venues = models.ManyToManyField(Venue, through="EventVenue", blank=True, related_name="events")
    organizers = models.ManyToManyField(
        Organizer, through="EventOrganizer", blank=True, related_name="events"
    )

    objects = EventQuerySet.as_manager()

    class Meta(Post.Meta):
        ordering = ["start_utc", "id"]
        permissions = [
            ("publish_event", "Can publish events"),
            ("edit_others_event", "Can edit the events of others"),
        ]
        constraints = [
            *Post.Meta.constraints,
            models.CheckConstraint(
                condition=Q(end_utc__gte=F("start_utc")), name="calendar_event_ends_after_start"
            ),
        ]
        indexes = [
            *Post.Meta.indexes,
            # Covers all columns by which the public list is filtered and sorted, so that a deep
            # page does not read the rows of the pages before it.
            models.Index(
                fields=["status", "start_utc", "id", "end_utc", "hide_from_listings", "password"],
                name="calendar_event_list",
            ),
            models.Index(fields=["start_utc", "id"], name="calendar_event_start"),
            models.Index(fields=["end_utc"], name="calendar_event_end"),
            models.Index(
                fields=["parent", "start_utc", "id"],
                condition=Q(parent__isnull=False),
                name="calendar_app_event_parent_id",
            ),
            models.Index(
                fields=["series", "original_start"],
                condition=Q(series__isnull=False),
                name="calendar_event_series",
            ),
            models.Index(fields=["duration"], name="calendar_event_duration"),
            models.Index(
                fields=["status", "start_utc", "id"],
                condition=Q(featured=True),
                name="calendar_event_featured",
            ),
            models.Index(
                fields=["status", "start_utc", "id"],
                condition=Q(ticketed=True),
                name="calendar_event_ticketed",
            ),
        ]

    @property
    def is_protected(self) -> bool:
        return bool(self.password)

    def set_password(self, raw: str | None) -> None:
        """Protect the event with the password raw; remove the protection if raw is empty."""
        self.password = make_password(raw) if raw else ""

    def check_password(self, raw: str | None) -> bool:
        # Hashing is slow on purpose, so requests without a password skip it.
        return bool(raw) and check_password(raw, self.password)

    def clean(self) -> None:
        """Derive the times. Raises ValidationError for an invalid zone, period or parent."""
        super().clean()
        errors = self._wrong_times() if self.start_date and self.end_date else {}
        if is_within(self.parent, self):
            errors["parent"] = f"Event {self.parent_id} is this event or part of it."
        if errors:
            raise ValidationError(errors)

    def _wrong_times(self) -> dict[str, str]:
        try:
            self.derive_times()
        except time_zones.ZoneError as e:
            return {"timezone": str(e)}
        if self.end_utc < self.start_utc:
            sentence = f"end_date '{self.end_date}' is before start_date '{self.start_date}'."
            return {"start_date": sentence, "end_date": sentence}
        return {}

    def prepare(self, now: dt.datetime | None = None) -> None:
        super().prepare(now)
        self.derive_times()

    def with_derived(self, names: set[str]) -> set[str]:
        return super().with_derived(names if names.isdisjoint(TIMES) else names | TIMES | DERIVED)

    def derive_times(self) -> None:
        """Fill the fields that follow from dates, all_day and timezone. Raises ZoneError."""
        if self.all_day:
            self.start_date = dt.datetime.combine(self.start_date, DAY_START)
            self.end_date = dt.datetime.combine(self.end_date, DAY_END)
        self.timezone = time_zones.canonical(self.timezone or conf.zone_name)
        zone = time_zones.get(self.timezone)
        self.start_date, self.start_utc = _resolved(self.start_date, zone, self.start_utc)
        self.end_date, self.end_utc = _resolved(self.end_date, zone, self.end_utc)
        self.duration = max(0, int((self.end_utc - self.start_utc).total_seconds()))
        self.timezone_abbr = time_zones.abbreviation(self.start_date, self.timezone)


def _resolved(
    wall: dt.datetime, zone: dt.tzinfo, known: dt.datetime | None
) -> tuple[dt.datetime, dt.datetime]:
    """Return a wall time and its instant; an ambiguous wall time keeps the instant known so far.

    The database stores wall times without the fold (PEP 495), which would tell the two instants
    apart when the clocks are set back.
    """
    if known and not wall.fold and time_zones.is_ambiguous(wall, zone):
        shown = time_zones.to_wall(known, zone)
        wall = shown if shown == wall else wall
    return time_zones.resolve(wall, zone)


class EventVenue(models.Model):
    event = models.ForeignKey(Event, models.CASCADE, related_name="venue_links")
    venue = models.ForeignKey(Venue, models.CASCADE, related_name="event_links")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(fields=["venue", "event"], name="calendar_event_venue_once")
        ]

    def __str__(self):
        return str(self.venue)


class EventOrganizer(models.Model):
    event = models.ForeignKey(Event, models.CASCADE, related_name="organizer_links")
    organizer = models.ForeignKey(Organizer, models.CASCADE, related_name="event_links")
    position = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["position", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["organizer", "event"], name="calendar_event_organizer_once"
            )
        ]

    def __str__(self):
        return str(self.organizer)
