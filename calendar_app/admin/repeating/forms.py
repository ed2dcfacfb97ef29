"""The form of a rule, in words of a calendar instead of iCalendar's."""

import datetime as dt
import re

from django import forms

from ... import permissions
from ...conf import conf
from ...services import series
from ...services.series import Rule
from ...values import dates, time_zones
from ...values.recurrence import MOST, RuleError, split
from ..forms.moments import understood
from .words import WEEKDAYS, in_words

UNITS = {"DAILY": "daily", "WEEKLY": "weekly", "MONTHLY": "monthly", "YEARLY": "yearly"}
NEVER, CUSTOM = "", "CUSTOM"
MONTHLY = {
    "day": "on the same day of the month",
    "weekday": "on the same weekday of the month, such as the second Tuesday",
    "last_weekday": "on the last such weekday of the month",
    "last_day": "on the last day of the month",
}
ENDS = {"never": "never", "until": "on this day:", "count": "after this many times:"}
KINDS = {
    "kept": "stays",
    "new": "is new",
    "dropped": "goes to the trash",
    "restored": "takes place again",
}
DAY_HELP = "One a line: 2027-03-08 or 8 March 2027, or with a time of its own, 2027-03-08 18:30."


class DaysField(forms.CharField):
    """Dates, one a line."""

    def __init__(self, label):
        area = forms.Textarea({"rows": 3})
        super().__init__(label=label, required=False, widget=area, help_text=DAY_HELP)

    def has_changed(self, initial, data):
        return (initial or "").split() != (data or "").split()


class RuleForm(forms.Form):
    """How ``event``, which a form has or will have filled, repeats; part of that form.

    It is filled in with the rule of ``earlier``, if that is given, instead of the present one.
    """

    prefix = "repeats"
    use_required_attribute = False  # an event that does not repeat needs none of the fields
    unit = forms.ChoiceField(
        label="Repeats", choices=[(NEVER, "does not repeat"), *UNITS.items()], required=False
    )
    interval = forms.IntegerField(
        label="Every",
        min_value=1,
        max_value=MOST["INTERVAL"],
        initial=1,
        help_text="2 means every second day, week, month or year.",
    )
    weekdays = forms.MultipleChoiceField(
        label="On",
        choices=list(WEEKDAYS.items()),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="The weekday of the first date if none is chosen.",
    )
    monthly = forms.ChoiceField(
        label="Each time", choices=list(MONTHLY.items()), initial="day", required=False
    )
    ends = forms.ChoiceField(
        label="Ends",
        choices=list(ENDS.items()),
        initial="count",
        widget=forms.RadioSelect,
    )
    until = forms.DateField(
        label="Last day", required=False, widget=forms.DateInput({"type": "date"}, "%Y-%m-%d")
    )
    count = forms.IntegerField(
        label="Times", required=False, min_value=1, max_value=MOST["COUNT"], initial=10
    )
    added = DaysField("Also on")
    excluded = DaysField("But not on")

    def __init__(self, event, data=None, earlier=None):
        self.event, self.series, self.earlier = event, event.series, earlier
        self.shown = earlier or self.series
        self.keeps_time = not self.series or event.start_date.time() == self.series.start.time()
        sent = data if data is not None and self.add_prefix("unit") in data else None
        initial = _initial(self.shown) if self.shown else None
        super().__init__(sent, initial=initial, label_suffix="")
        if self.series:
            own = (CUSTOM, in_words(self.shown.rrule))
            is_custom = self.initial["unit"] == CUSTOM
            self.fields["unit"].choices = [*UNITS.items(), *([own] if is_custom else [])]

    @property
    def words(self):
        """How the event repeats now, in words."""
        return in_words(self.series.rrule) if self.series else "does not repeat"

    @property
    def earlier_words(self):
        return in_words(self.earlier.rrule)

    @property
    def moves_start(self):
        """Whether the earlier rule begins at another time than the present one."""
        return self.earlier.start != self.series.start

    @property
    def is_given(self):
        """Whether a rule was sent that the event does not have yet."""
        if not self.is_bound or not self.data[self.add_prefix("unit")]:
            return False
        return self.earlier is not None or self.has_changed()

    def clean_added(self):
        return self._days("added")

    def clean_excluded(self):
        return self._days("excluded")

    def clean(self):
        data = super().clean()
        for name, label in (("until", "the last day"), ("count", "how many times")):
            if data.get("ends") == name and not data.get(name) and name not in self.errors:
                self.add_error(name, f"Say {label}, or let it end in another way.")
        return data

    def rule(self):
        """Return the rule of a valid form."""
        data = self.cleaned_data
        return Rule(self._rrule(data), data["added"], data["excluded"])

    def _rrule(self, data):
        if data["unit"] == CUSTOM:
            return self.shown.rrule
        parts = [f"FREQ={data['unit']}"]
        if data["interval"] > 1:
            parts.append(f"INTERVAL={data['interval']}")
        if data["unit"] == "WEEKLY" and data["weekdays"]:
            parts.append(f"BYDAY={','.join(day for day in WEEKDAYS if day in data['weekdays'])}")
        if data["unit"] == "MONTHLY":
            parts += _monthly(data["monthly"], self.event.start_date)
        if data["ends"] == "until":
            parts.append(f"UNTIL={data['until']:%Y%m%d}")
        elif data["ends"] == "count":
            parts.append(f"COUNT={data['count']}")
        return ";".join(parts)

    @property
    def _clock(self):
        """The time of dates that have none of their own: the series' if the event was moved."""
        return (self.event.start_date if self.keeps_time else self.shown.start).time()

    def _days(self, name):
        lines = [line.strip() for line in re.split(r"[\n,;]", self.cleaned_data[name])]
        lines = [line for line in lines if line]
        if len(lines) > conf.SERIES_MAX_DATES:
            raise forms.ValidationError(
                f"These are {len(lines)} dates; {conf.SERIES_MAX_DATES} are accepted."
            )
        return tuple(sorted({self._day(line) for line in lines}))

    def _day(self, text):
        try:
            # What is said, even if the clocks skip it: so rules name their dates too.
            _, day = understood(text, time_zones.get(self.event.timezone or conf.zone_name))
            return day if dates.has_time(text) else dt.datetime.combine(day, self._clock)
        except dates.DateError as e:
            raise forms.ValidationError(
                f"“{text[:40]}” is not a date such as 2027-03-08, 8 March 2027 or 2027-03-08 18:30."
            ) from e


def plan(event, scope, rule):
    """Return the dates that rule gives an event, with what becomes of each. Raises RuleError."""
    if event.series_id is None:
        return [(day, KINDS["new"]) for day in series.preview(event, rule)]
    return [(day, KINDS[kind]) for day, kind in series.planned(event, scope, rule).days]


def require_rights(user, event, scope):
    """Raise RuleError if an event that scope names is not the user's to change."""
    for other in series.others_in(event, scope):
        if not (other.is_trashed or permissions.may_edit(user, other)):
            raise RuleError(f"“{other}” on {other.start_date:%Y-%m-%d} is not yours to edit.")


def _monthly(kind, start):
    weekday = list(WEEKDAYS)[start.weekday()]
    return {
        "day": [],
        "weekday": [f"BYDAY={(start.day + 6) // 7}{weekday}"],
        "last_weekday": [f"BYDAY=-1{weekday}"],
        "last_day": ["BYMONTHDAY=-1"],
    }[kind or "day"]


def _initial(stored):
    """Return what the form shows of a series that exists."""
    parts = split(stored.rrule)
    unit, until = parts.pop("FREQ", ""), parts.pop("UNTIL", "")
    interval, count = parts.pop("INTERVAL", "1"), parts.pop("COUNT", "")
    days, month_day = parts.pop("BYDAY", ""), parts.pop("BYMONTHDAY", "")
    weekdays = [day for day in days.split(",") if unit == "WEEKLY" and day in WEEKDAYS]
    monthly = _monthly_kind(days, month_day) if unit == "MONTHLY" else ""
    is_known = not parts and unit in UNITS
    if unit == "MONTHLY":
        is_known = is_known and bool(monthly)
    elif unit == "WEEKLY":
        is_known = is_known and not month_day and ",".join(weekdays) == days
    else:
        is_known = is_known and not (days or month_day)
    return {
        "unit": unit if is_known else CUSTOM,
        "interval": int(interval),
        "weekdays": weekdays,
        "monthly": monthly or "day",
        "ends": "until" if until else "count" if count else "never",
        "until": dt.datetime.strptime(until[:8], "%Y%m%d").date() if until else None,  # noqa: DTZ007
        "count": int(count) if count else None,
        "added": _shown(stored, stored.recurrence.rdates),
        "excluded": _shown(stored, stored.recurrence.exdates),
    }


def _monthly_kind(days, month_day):
    if not days:
        return {"": "day", "-1": "last_day"}.get(month_day, "")
    if month_day or not re.fullmatch(r"(-1|[1-5])[A-Z]{2}", days):
        return ""
    return "last_weekday" if days.startswith("-") else "weekday"


def _shown(stored, days):
    clock = stored.start.time()
    return "\n".join(
        f"{day:%Y-%m-%d}" if day.time() == clock else f"{day:%Y-%m-%d %H:%M}" for day in days
    )
