from ... import permissions
from ...api.serializers import OrganizerSerializer, VenueSerializer
from ...conf import conf
from ...models import Status
from ...services import images, posts
from ...values import time_zones
from .checked import CheckedForm


class PostForm(CheckedForm):
    """An event, venue or organizer, offering the choices that the user may make."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "status" in self.fields:
            self._limit_statuses(self.fields["status"])
        if "excerpt" in self.fields:
            self.fields["excerpt"].widget.attrs["rows"] = 3
        if "image" in self.fields:
            self.fields["image"].queryset = images.visible_to(self.user)
        if "author" in self.fields:
            self._limit_authors(self.fields["author"])

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

    def clean_date(self):
        """Return the publication date; the current one if the field was emptied."""
        date = self.cleaned_data["date"]
        if date and "date" in self.changed_data:
            date, self.instance.date_utc = time_zones.resolve(date, conf.zone)
        return date or self.instance.date


class VenueForm(PostForm):
    serializer = VenueSerializer


class OrganizerForm(PostForm):
    serializer = OrganizerSerializer
