from django import forms

from ...api.serializers import EventSerializer
from ...conf import conf
from ...models import Event
from ...values import time_zones
from ..look import PasswordInput, TextInput
from .moments import ZoneInput
from .post import PostForm


class EventForm(PostForm):
    """An event; its password can be set and is never shown."""

    serializer = EventSerializer
    new_password = forms.CharField(
        label="Password",
        required=False,
        strip=False,
        max_length=255,
        widget=PasswordInput({"autocomplete": "new-password"}),
        help_text="Visitors need it to read the event. Leave empty to keep the current one.",
    )
    clear_password = forms.BooleanField(label="Remove the password", required=False)

    class Meta:
        widgets = {"title": TextInput, "timezone": ZoneInput}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name in self.fields.keys() & {"start_date", "end_date"}:
            self.fields[name].zone = self._given_zone()
        if "parent" in self.fields:
            visible, own = Event.objects.visible_to(self.user), self.instance.parent_id
            self.fields["parent"].queryset = visible | Event.objects.filter(pk=own)

    def _given_zone(self):
        """Return the zone in which dates are typed; the site's where it is none."""
        try:
            return time_zones.get(self.data.get(self.add_prefix("timezone")) or conf.zone_name)
        except time_zones.ZoneError:
            return conf.zone

    def _update_errors(self, errors):
        """Word the model's error about the times for a form, which has no names of parameters."""
        if "end_date" in getattr(errors, "error_dict", {}):
            sentence = "The end is before the start."
            errors = forms.ValidationError(
                {**errors.error_dict, "start_date": sentence, "end_date": sentence}
            )
        super()._update_errors(errors)

    def save(self, commit=True):
        password = self.cleaned_data["new_password"]
        if password or self.cleaned_data["clear_password"]:
            self.instance.set_password(password)
        return super().save(commit)
