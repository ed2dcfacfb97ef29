import datetime as dt
from typing import Any

from django.db import models
from django.db.models import Q
from django.utils import timezone

from .. import permissions
from ..conf import conf
from ..permissions import User
from ..values.slugs import unique_slug
from ..values.time_zones import to_wall
from .fields import WallTimeField


class Status(models.TextChoices):
    PUBLISH = "publish", "Published"
    FUTURE = "future", "Scheduled"
    DRAFT = "draft", "Draft"
    PENDING = "pending", "Pending review"
    PRIVATE = "private", "Private"
    TRASH = "trash", "In the trash"


def changed(now: dt.datetime | None = None) -> dict[str, Any]:
    """Return the values of the fields that say when a record was last changed, as of now."""
    now = (now or timezone.now()).replace(microsecond=0)
    return {"modified_utc": now, "modified": to_wall(now, conf.zone)}


class PostQuerySet(models.QuerySet[Any]):
    def untrashed(self) -> "PostQuerySet":
        return self.exclude(status=Status.TRASH)

    def published(self) -> "PostQuerySet":
        return self.filter(status=Status.PUBLISH)

    def visible_to(self, user: User) -> "PostQuerySet":
        """Keep the records outside the trash that user may read."""
        if permissions.may_edit_others(user, self.model):
            return self.untrashed()
        if permissions.may_write(user, self.model):
            return self.filter(
                Q(status=Status.PUBLISH) | (Q(author=user) & ~Q(status=Status.TRASH))
            )
        return self.published()

    def disclosed_to(self, user: User) -> "PostQuerySet":
        """Keep the records that user may read in full."""
        return self.visible_to(user)


class Post(models.Model):
    """The base of events, venues and organizers: an author, a status, dates and a slug."""

    author = models.ForeignKey(
        conf.user_model, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.PUBLISH)
    status_before_trash = models.CharField(
        max_length=10, choices=Status.choices, blank=True, editable=False
    )
    slug = models.SlugField(
        max_length=200, blank=True, allow_unicode=True, help_text="Made from the title when empty."
    )
    description = models.TextField(blank=True)
    excerpt = models.TextField(blank=True)
    date = WallTimeField("publication date", blank=True, help_text="In the site's time zone.")
    date_utc = models.DateTimeField(editable=False)
    modified = WallTimeField(editable=False)
    modified_utc = models.DateTimeField(editable=False, db_index=True)
    image = models.ForeignKey(
        "calendar_app.Image", models.SET_NULL, null=True, blank=True, related_name="+"
    )
    image_url = models.URLField(
        max_length=2000,
        blank=True,
        editable=False,
        help_text="Of an image still to be fetched.",
    )
    # Of an imported record: the global ID at its source, or an iCalendar UID.
    source_id = models.CharField(max_length=255, null=True, blank=True, editable=False)  # noqa: DJ001
    # The version of the source at the last import: while it is the same, nothing is updated.
    source_version = models.CharField(max_length=64, blank=True, editable=False)
    global_id_lineage = models.JSONField(default=list, blank=True, editable=False)

    objects = PostQuerySet.as_manager()
    title_field = "title"

    class Meta:
        abstract = True
        constraints = [
            models.UniqueConstraint(
                fields=["slug"],
                condition=~Q(status=Status.TRASH),
                name="calendar_%(class)s_slug_unique",
            ),
            models.UniqueConstraint(fields=["source_id"], name="calendar_%(class)s_source_unique"),
            models.CheckConstraint(
                condition=Q(status__in=Status.values), name="calendar_%(class)s_status_known"
            ),
        ]
        indexes = [
            models.Index(fields=["author", "status"], name="calendar_%(class)s_author"),
            models.Index(fields=["slug"], name="calendar_%(class)s_slug"),
        ]

    def __str__(self):
        return getattr(self, self.title_field)

    @property
    def is_trashed(self) -> bool:
        return self.status == Status.TRASH

    def prepare(self, now: dt.datetime | None = None) -> None:
        """Fill the derived fields: slug, publication date, last change."""
        for name, value in changed(now).items():
            setattr(self, name, value)
        if not self.date_utc:
            self.date_utc, self.date = self.modified_utc, self.modified
        if not self.slug:
            self.slug = unique_slug(
                self, getattr(self, self.title_field), type(self).objects.untrashed()
            )

    def with_derived(self, names: set[str]) -> set[str]:
        """Return the names of these fields and of those derived from them."""
        return names | {"modified", "modified_utc"}

    def save(self, *, update_fields: Any = None, **kwargs: Any) -> None:
        self.prepare()
        if update_fields:
            update_fields = self.with_derived({*update_fields})
        super().save(update_fields=update_fields, **kwargs)
