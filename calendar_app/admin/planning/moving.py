"""The form that moves an event."""

import datetime as dt

from django import forms

from ...conf import conf
from ...values import dates, time_zones
from ..look import TextInput


class MoveForm(forms.Form):
    """Another start of ``event``: as typed, or a day to which it was dragged from another."""

    start = forms.CharField(
        label="New start",
        required=False,
        widget=TextInput({"placeholder": "next friday 8pm", "autocomplete": "off"}),
        help_text="A date and time, such as “2027-03-05 20:00”, “next friday 8pm” or "
        "“+1 week”. The event stays as long as it is.",
    )
    seen = forms.CharField(widget=forms.HiddenInput)
    dragged_from = forms.DateField(required=False, widget=forms.HiddenInput)
    dragged_to = forms.DateField(required=False, widget=forms.HiddenInput)
    back = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, event, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.event = event

    def clean_seen(self):
        try:
            return dt.datetime.fromisoformat(self.cleaned_data["seen"]).replace(tzinfo=None)
        except ValueError as e:
            raise forms.ValidationError("Reload the page, and move the event again.") from e

    def clean(self):
        super().clean()
        if self.errors:
            return self.cleaned_data
        try:
            self.cleaned_data["start"] = self._dragged() or self._typed()
        except dates.DateError as e:
            self.add_error("start", str(e))
        except OverflowError:
            self.add_error("start", "The new start is not in the years 1 to 9999.")
        return self.cleaned_data

    def _dragged(self):
        first, last = (self.cleaned_data[name] for name in ("dragged_from", "dragged_to"))
        return self.cleaned_data["seen"] + (last - first) if first and last else None

    def _typed(self):
        text = self.cleaned_data["start"]
        if not text:
            raise dates.DateError("Say when the event is to start.")
        zone = time_zones.get(self.event.timezone or conf.zone_name)
        # "+1 week" is from where the event is, not from now.
        if text.lstrip().startswith(("+", "-")):
            return dates.wall(text, zone, time_zones.to_utc(self.event.start_date, zone))
        return dates.wall(text, zone)
