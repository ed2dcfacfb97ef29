"""The time window of an event list: its parameters and their defaults."""

import datetime as dt

from dateutil.relativedelta import relativedelta
from django import forms
from django.db.models import Max, Min
from django.utils import timezone

from ...conf import conf
from ...values import dates, time_zones
from ..errors import shown
from . import fields
from .parameters import Parameter

DAY_START, DAY_END = dt.time(0, 0, 0), dt.time(23, 59, 59)
BOUNDS = {
    "start_date": DAY_START,
    "end_date": DAY_END,
    "starts_before": DAY_END,
    "starts_after": DAY_END,
    "ends_before": DAY_END,
    "ends_after": DAY_END,
}
# Each of these replaces the default window.
REPLACING_DEFAULT = ("starts_before", "starts_after", "ends_before", "ends_after", "modified_after")


class DateParameter(Parameter):
    field_class = fields.DateField
    # What programs send (RFC 3339); the phrases that people write are accepted too.
    schema = {"type": "string", "format": "date-time"}

    def filter(self, qs, value):
        if value is not None and self.is_moving():
            value = edge(qs.model, self.field_name, self.lookup_expr, value)
        return self.bounded(qs, value)

    def bounded(self, qs, value):
        return super().filter(qs, value)

    def is_moving(self):
        """Return whether the value changes all the time, and not only once a day."""
        is_exact = self.label not in BOUNDS or self.parent.form.cleaned_data.get("strict_dates")
        return is_exact and dates.is_relative(self.parent.data.get(self.label) or "")


class WindowParameter(DateParameter):
    """A bound of the window, with a default."""

    always = True


class EndParameter(DateParameter):
    """A bound of the end; it bounds the start too, whose index the list is read from."""

    def bounded(self, qs, value):
        if value is None:
            return qs
        qs = super().bounded(qs, value)
        if self.lookup_expr == "gt":
            return qs.filter(start_utc__gt=earlier(value, longest(qs.model)))
        return qs.filter(**{f"start_utc__{self.lookup_expr}": value})


class WindowEndParameter(WindowParameter, EndParameter):
    pass


class WindowForm(forms.Form):
    """Completes the bounds: extends them to whole days, and applies the default window."""

    def clean(self):
        data = super().clean()
        if "include" in self.fields:
            return data | dict.fromkeys(set(BOUNDS).intersection(data))
        given = [name for name in BOUNDS if data.get(name)]
        if not data.get("strict_dates"):
            data |= {name: at(data[name], BOUNDS[name]) for name in given}
        if {"start_date", "end_date"} <= set(given) and data["end_date"] < data["start_date"]:
            self._refuse_reversed()
        elif not any(name in self.fields for name in REPLACING_DEFAULT):
            data |= {name: value for name, value in default().items() if not data.get(name)}
        return data

    def _refuse_reversed(self):
        start, end = self.data["start_date"], self.data["end_date"]
        sentence = f"end_date {shown(end)} is before start_date {shown(start)}."
        self.add_error("start_date", sentence)
        self.add_error("end_date", sentence)


def settled(filterset):
    """Return, as {parameter: text}, the dates that depend on the time of the request.

    These are the default window and relative dates such as `today`. Links to other pages contain
    them, so that they mean the same list at any time.
    """
    found = {}
    for name, parameter in filterset.filters.items():
        if isinstance(parameter, DateParameter) and (value := filterset.form.cleaned_data[name]):
            text = filterset.data.get(name)
            if text is None or dates.is_relative(text):
                found[name] = _written(value)
    return found


def _written(instant):
    """Return a text for this instant that a date parameter can read."""
    wall = time_zones.to_wall(instant, conf.zone).replace(fold=0)
    # In UTC: Python compares times of the same zone by their wall times, ignoring the fold.
    same = time_zones.to_utc(wall, conf.zone) == instant.astimezone(dt.UTC)
    return str(wall) if same else instant.isoformat()


def default(now=None):
    """Return the window of a list without dates: from yesterday to conf.WINDOW_MONTHS ahead."""
    today = (now or timezone.now()).astimezone(conf.zone)
    return {
        "start_date": at(today - dt.timedelta(days=1), DAY_START),
        "end_date": at(today + relativedelta(months=conf.WINDOW_MONTHS), DAY_END),
    }


def edge(model, column, lookup, instant):
    """Return the value of column nearest to instant that finds the same records by lookup now.

    As time goes by it stays the same until the next event starts or ends; so does what is kept by
    it, such as totals.
    """
    side, nearest = ("gte", Min) if lookup in {"gte", "lt"} else ("lte", Max)
    found = model.objects.filter(**{f"{column}__{side}": instant})
    return found.aggregate(found=nearest(column))["found"] or instant


def at(moment, time):
    """Return the UTC instant of a time on the day of moment, in moment's time zone."""
    return time_zones.to_utc(dt.datetime.combine(moment.date(), time), moment.tzinfo)


def longest(model):
    """Return the duration of the longest event, from its index."""
    return dt.timedelta(seconds=model.objects.aggregate(Max("duration"))["duration__max"] or 0)


def earlier(instant, distance):
    """Return the instant minus distance, or the earliest possible instant."""
    try:
        return instant.astimezone(dt.UTC) - distance
    except OverflowError:
        return dt.datetime.min.replace(tzinfo=dt.UTC)
