"""Fields of dates and time zones as people write them."""

import datetime as dt
from functools import cache
from zoneinfo import available_timezones

from django import forms
from django.utils.html import format_html, format_html_join

from ...conf import conf
from ...values import dates
from ..look import TextInput

EXAMPLES = (
    "Write it as “2027-02-03 14:30”, “3 February 2027 2:30pm”, “tomorrow 9am” or “next friday 8pm”."
)
ZONES = "Choose one from the list, such as “Europe/London”."


class MomentInput(TextInput):
    """A local date and time, typed in words or figures; a script adds a browser's picker."""

    def __init__(self, attrs=None):
        shown = {"autocomplete": "off", "data-moment": "", "placeholder": "next friday 8pm"}
        super().__init__(shown | (attrs or {}))

    def format_value(self, value):
        try:
            moment = dt.datetime.fromisoformat(value) if isinstance(value, str) else value
        except ValueError:
            return value
        if not isinstance(moment, dt.datetime):
            return value
        return moment.isoformat(" ", "seconds" if moment.second else "minutes")


class MomentField(forms.Field):
    """A local date and time in ``zone``, the site's unless a form sets another.

    ``said`` is what was typed last, which may be a time that the clocks skip. The field of an end
    has ``began`` set to the start, so that "10pm" and "+2 hours" have the meaning that they have
    beside it.
    """

    widget = MomentInput

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.zone = self.said = self.began = None

    def to_python(self, value):
        if value in self.empty_values or isinstance(value, dt.datetime):
            return value or None
        text, zone = str(value), self.zone or conf.zone
        try:
            moment, self.said = understood(text, zone, self.began)
        except dates.DateError as e:
            raise forms.ValidationError(in_words(e)) from e
        return moment


def understood(text, zone, began=None):
    """Return the local time that a text means, and the one it says, which clocks may skip.

    ``began`` is the start of the event whose end it is. Raises DateError.
    """
    now = dates.end_base(text, began, zone) if began else None
    moment = dates.wall(text, zone, now)
    return moment, dates.skipped(text, zone, now) or moment


def in_words(error):
    """Return what is wrong with a date or a zone as a form says it."""
    return f"{error.problem} {EXAMPLES if isinstance(error, dates.DateError) else ZONES}"


class ZoneInput(TextInput):
    """A time zone, which the browser completes from the names of all places."""

    def render(self, name, value, attrs=None, renderer=None):
        names = format_html_join("", '<option value="{}">', ((each,) for each in _places()))
        shown = {**(attrs or {}), "list": "time-zones", "placeholder": conf.zone_name}
        field = super().render(name, value, shown, renderer)
        return format_html('{}<datalist id="time-zones">{}</datalist>', field, names)


@cache
def _places():
    return ["UTC", *sorted(name for name in available_timezones() if _is_place(name))]


def _is_place(name):
    return "/" in name and not name.startswith(("Etc/", "SystemV/", "US/", "posix", "right"))
