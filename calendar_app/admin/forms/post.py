import hashlib

from django import forms
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.text import Truncator

from ... import permissions
from ...api.serializers import OrganizerSerializer, VenueSerializer
from ...conf import conf
from ...models import Image, Status
from ...services import images, posts
from ...values import time_zones
from .checked import CheckedForm

QUOTED = 200  # characters of a value in an error


# What fields mean whose names are those of the API.
EXPLAINED = {
    "slug": "The end of the page's address. Made by itself when empty.",
    "excerpt": "Shown in lists; the beginning of the description when empty.",
    "featured": "Marked in lists.",
    "sticky": "The first of its day in the month.",
    "hide_from_listings": "Only who has the address finds it.",
    "ticketed": "Tickets are sold.",
    "parent": "The event that this one is a part of.",
    "custom_fields": "Further details, such as “Room” and “12”, for programs that read them.",
}


class SeenField(forms.CharField):
    """The version of a record that a form was made from; it is not part of what is edited."""

    def has_changed(self, initial, data):
        return False


class PostForm(CheckedForm):
    """An event, venue or organizer, offering the choices that the user may make."""

    seen = SeenField(required=False, widget=forms.HiddenInput)
    new_image = forms.FileField(
        required=False,
        widget=forms.FileInput,
        help_text="A JPEG, PNG, GIF, WebP or AVIF picture, to be used as the image.",
    )

    class Media:
        js = [forms.Script("calendar_app/dropping.js", defer=True)]

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "status" in self.fields:
            self._limit_statuses(self.fields["status"])
        for name in EXPLAINED.keys() & self.fields.keys():
            self.fields[name].help_text = EXPLAINED[name]
        if "excerpt" in self.fields:
            self.fields["excerpt"].widget.attrs["rows"] = 3
        if "image" in self.fields:
            self.fields["image"].queryset = images.visible_to(self.user)
        if "author" in self.fields:
            self._limit_authors(self.fields["author"])
        if "new_image" in self.fields:
            self._offer_upload(self.fields["new_image"])
        self.initial["seen"] = version(self.instance) if self.instance.pk else ""

    def clean(self):
        super().clean()
        seen, now = self.cleaned_data.get("seen"), self.initial["seen"]
        if seen and seen != now:
            # Sending the form once more overwrites what the other has saved.
            self.data = self.data.copy()
            self.data[self.add_prefix("seen")] = now
            self.add_error(None, self._conflict())
        return self.cleaned_data

    def _conflict(self):
        """Return an error that shows both versions of each field that this form changes."""
        fields = [
            {
                "label": str(self.fields[name].label or name).capitalize(),
                "theirs": in_words(self.initial[name]),
                "yours": in_words(self.cleaned_data[name]),
            }
            for name in self.changed_data
            if name in self.cleaned_data and name in self.initial
        ]
        return render_to_string("calendar_app/admin/conflict.html", {"fields": fields})

    def _limit_statuses(self, field):
        model, refused = self._meta.model, {Status.TRASH}
        if not permissions.may_publish(self.user, model):
            refused |= permissions.PUBLIC_STATUSES
        if self.instance.pk:
            refused.discard(self.instance.status)
        field.choices = [choice for choice in Status.choices if choice[0] not in refused]
        field.initial = posts.default_status(model, self.user)

    def _limit_authors(self, field):
        current = field.queryset.filter(pk=self.instance.author_id)
        field.queryset = permissions.writers(self._meta.model) | current

    def _offer_upload(self, field):
        field.disabled = not permissions.may_write(self.user, Image)
        if not field.disabled:
            field.widget.attrs |= {
                "accept": "image/*",
                "data-drop": reverse("admin:calendar_app_image_upload"),
                "data-most": conf.IMAGE_MAX_BYTES,
            }

    def clean_new_image(self):
        """Store the picture at once, lest an error in another field lose it."""
        upload = self.cleaned_data["new_image"]
        if upload:
            try:
                image = images.store(upload, author=self.user)
            except images.ImageError as e:
                raise forms.ValidationError(e.message) from e
            self.cleaned_data["image"] = image
            self.data = self.data.copy()
            self.data[self.add_prefix("image")] = image.pk
        return upload

    def clean_date(self):
        """Return the publication date; the current one if the field was emptied."""
        date = self.cleaned_data["date"]
        if date and "date" in self.changed_data:
            date, self.instance.date_utc = time_zones.resolve(date, conf.zone)
        return date or self.instance.date


def version(record):
    """Return what changes whenever a field of record does."""
    values = [getattr(record, field.attname) for field in record._meta.concrete_fields]
    return hashlib.sha256(repr(values).encode()).hexdigest()[:32]


def in_words(value):
    """Return a value of a field as an error quotes it."""
    if value in (None, "", []):
        return "empty"
    if isinstance(value, (list, tuple, QuerySet)):
        return ", ".join(f"“{each}”" for each in value) or "empty"
    return f"“{Truncator(value).chars(QUOTED)}”"


class VenueForm(PostForm):
    serializer = VenueSerializer


class OrganizerForm(PostForm):
    serializer = OrganizerSerializer
