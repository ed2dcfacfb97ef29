from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Lower

from ..values.slugs import unique_slug
from .tree import is_within


class Term(models.Model):
    """The base of categories and tags; ``count`` is the number of publicly listed events."""

    name = models.CharField(max_length=200)
    slug = models.SlugField(max_length=200, unique=True, blank=True, allow_unicode=True)
    description = models.TextField(blank=True)
    count = models.PositiveIntegerField(default=0, editable=False, db_index=True)

    class Meta:
        abstract = True
        ordering = ["name", "id"]

    def __str__(self):
        return self.name

    def save(self, **kwargs: Any) -> None:
        if not self.slug:
            self.slug = unique_slug(self, self.name, type(self).objects.all())
        super().save(**kwargs)


class Category(Term):
    taxonomy = "tribe_events_cat"
    event_field = "categories"

    parent = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="children"
    )

    class Meta(Term.Meta):
        verbose_name_plural = "categories"
        constraints = [
            models.UniqueConstraint(
                Lower("name"), "parent", name="calendar_category_name_unique_below_parent"
            ),
            models.UniqueConstraint(
                Lower("name"),
                condition=Q(parent=None),
                name="calendar_category_name_unique_at_top",
            ),
            models.CheckConstraint(
                condition=Q(parent=None) | ~Q(parent=F("id")),
                name="calendar_category_not_own_parent",
            ),
        ]

    def clean(self) -> None:
        """Raise ValidationError for a parent that is this category or one of its descendants."""
        super().clean()
        if is_within(self.parent, self):
            raise ValidationError(
                {"parent": f"parent {self.parent_id} is this category or one of its descendants."}
            )


class Tag(Term):
    taxonomy = "post_tag"
    event_field = "tags"

    class Meta(Term.Meta):
        constraints = [models.UniqueConstraint(Lower("name"), name="calendar_tag_name_unique")]
