"""The base of the serializers of events, venues and organizers."""

from datetime import UTC

from rest_framework import serializers

from ... import permissions
from ...conf import conf
from ...exceptions import Forbidden, Gone
from ...models import Status
from ...services import images, links, posts
from ...services.history.stored import note_stored
from ...values import time_zones
from .fields import DateField, HtmlField, StatusField
from .record import RecordSerializer
from .relations import AuthorField, ImageField


class PostSerializer(RecordSerializer):
    """Writes the fields in the body to a record of ``model``, as far as the user may."""

    author = AuthorField(
        required=False, help_text="ID of the author; only editors may choose another user."
    )
    date = DateField(
        required=False,
        cleared=None,
        help_text="Publication date in the site's time zone; now if empty.",
    )
    date_utc = DateField(
        required=False,
        cleared=None,
        help_text="Publication date in UTC; if both change, `date` takes precedence.",
    )
    description = HtmlField(required=False, help_text="Description: HTML, which is sanitized.")
    status = StatusField(
        choices=Status.choices,
        required=False,
        allow_null=False,
        help_text="`publish` with a future `date` becomes `future`, and `pending` if you may not "
        "publish. `trash` moves the record to the trash, any other status restores it.",
    )
    image = ImageField(
        required=False,
        help_text="Image: its ID, a URL to fetch it from, or the object that GET returns.",
    )

    @property
    def user(self):
        return self.context["request"].user

    @property
    def kind(self):
        return self.model._meta.model_name

    def validate_author(self, pk):
        if pk is None and self.instance is None:
            raise serializers.SkipField
        usual = self.instance.author_id if self.instance else self.user.pk
        if pk != usual and not permissions.may_edit_others(self.user, self.model):
            raise Forbidden(
                f"You may not choose the author of the {self.kind}.",
                code="rest_cannot_edit_others",
            )
        return pk

    def validate_status(self, status):
        if status == Status.TRASH and self.instance is None:
            raise serializers.ValidationError(f"A new {self.kind} cannot be in the trash.")
        if status == Status.TRASH and not permissions.may_delete(self.user, self.instance):
            raise Forbidden(f"You may not delete the {self.kind} {self.instance.pk}.")
        return status

    def blank(self):
        return self.model(author=self.user)

    def target(self):
        post = super().target()
        if post.pk:
            note_stored(post)
        if post.is_trashed and "status" not in self.validated_data:
            raise Gone(self.kind, post.pk)
        return post

    def write(self, post, data, errors):
        super().write(post, data, errors)
        if data.get("status") == Status.TRASH:
            posts.trash(post)
        return post

    def apply(self, post, data):
        status = data.pop("status", None)
        is_dated = self._set_date(post, data)
        if "image" in data:
            self._set_image(post, data.pop("image"))
        super().apply(post, data)
        self._set_status(post, status, is_dated)

    def store(self, post, data):
        posts.save(post)

    def wall(self, name, data, zone):
        """Remove the date of this name from data; return it as local time, None if cleared."""
        text = data.pop(name)
        try:
            return text and self.fields[name].wall(text, zone)
        except serializers.ValidationError as e:
            raise serializers.ValidationError({name: e.detail}) from e

    def _set_date(self, post, data):
        """Set the publication date to that in data which differs from post's; say if one does."""
        own = {"date": post.date, "date_utc": post.date_utc and post.date_utc.replace(tzinfo=None)}
        zone_of = {"date": conf.zone, "date_utc": UTC}
        given = {name: self.wall(name, data, zone_of[name]) for name in own if name in data}
        changed = [name for name, wall in given.items() if wall and wall != own[name]]
        if changed:
            post.date_utc = time_zones.to_utc(given[changed[0]], zone_of[changed[0]])
            post.date = time_zones.to_wall(post.date_utc, conf.zone)
        is_cleared = bool(given) and not any(given.values())
        if is_cleared:
            post.date_utc = None
        return bool(changed) or is_cleared

    def _set_image(self, post, image):
        """Set the image of post, or request it from its URL."""
        if isinstance(image, str):
            images.request(post, image, self.user, self.context.get("trusted", ""))
        # GET returns False for no image, even while one is fetched: sent back it changes nothing.
        elif image is not False or post.image_id:
            images.assign(post, image or None)

    def _set_status(self, post, status, is_dated):
        """Set the requested status, as far as the user's rights and the publication date allow."""
        is_new = post.pk is None
        if is_new:
            post.status = posts.default_status(self.model, self.user)
        if status and status != Status.TRASH:
            post.status, post.status_before_trash = status, ""
        if is_new or status or is_dated:
            posts.settle_status(post, self.user)


class NamedPostSerializer(PostSerializer):
    """Writes a venue or an organizer; a POST with a known name fills its empty fields instead."""

    def target(self):
        if self.instance is not None:
            return super().target()
        name = self.validated_data["name"]
        known = links.by_name(self.model, name, self.user)
        if known is None and not permissions.may_write(self.user, self.model):
            # The view has checked the right to write events, not the venues inside them.
            raise Forbidden(f"You may not create a new {self.kind}.")
        return known or self.blank()

    def write(self, post, data, errors):
        if self.instance is None and post.pk:
            data = links.missing(post, data, self.user)
            if not (data or errors):
                return post
        return super().write(post, data, errors)

    def to_representation(self, instance):
        full = self.context.get("full", False)
        return self.represent(instance, self.context["urls"], full=full)
