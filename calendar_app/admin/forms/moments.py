"""Fields of dates and time zones as people write them."""

import datetime as dt
from functools import cache
from zoneinfo import available_timezones

from django import forms
from django.utils.html import format_html, format_html_join

from ...conf import conf
from ...values import dates
from ..look import TextInput


class MomentInput(TextInput):
    """A local date and time, typed in words or figures; a script adds a browser's picker."""

    def __init__(self, attrs=None):
        super().__init__({"autocomplete": "off", "data-moment": "", **(attrs or {})})

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

    ``said`` is what was typed last, which may be a time that the clocks skip.
    """

    widget = MomentInput

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.zone = self.said = None

    def to_python(self, value):
        if value in self.empty_values or isinstance(value, dt.datetime):
            return value or None
        text, zone = str(value), self.zone or conf.zone
        try:
            moment = dates.wall(text, zone)
            self.said = dates.skipped(text, zone) or moment
        except dates.DateError as e:
            raise forms.ValidationError(str(e)) from e
        return moment


class ZoneInput(TextInput):
    """A time zone, which the browser completes from the names of all places."""

    def render(self, name, value, attrs=None, renderer=None):
        names = format_html_join("", '<option value="{}">', ((each,) for each in _places()))
        field = super().render(name, value, {**(attrs or {}), "list": "time-zones"}, renderer)
        return format_html('{}<datalist id="time-zones">{}</datalist>', field, names)


@cache
def _places():
    return ["UTC", *sorted(name for name in available_timezones() if _is_place(name))]


def _is_place(name):
    return "/" in name and not name.startswith(("Etc/", "SystemV/", "US/", "posix", "right"))
