from django.db import models
from django.db.models.functions import Lower

from .post import Post


class Organizer(Post):
    name = models.CharField(max_length=255)
    phone = models.CharField(max_length=64, blank=True)
    website = models.URLField(max_length=2000, blank=True)
    email = models.EmailField(blank=True)

    title_field = "name"

    class Meta(Post.Meta):
        ordering = ["-date_utc", "-id"]
        permissions = [
            ("publish_organizer", "Can publish organizers"),
            ("edit_others_organizer", "Can edit the organizers of others"),
        ]
        indexes = [
            *Post.Meta.indexes,
            models.Index(Lower("name"), name="calendar_organizer_name"),
            models.Index(fields=["status", "-date_utc", "-id"], name="calendar_organizer_list"),
        ]
