"""The form of a rule, in words of a calendar instead of iCalendar's."""

import datetime as dt
import re

from django import forms

from ...conf import conf
from ...services.series import Rule, Scope
from ...values.recurrence import split

UNITS = {"DAILY": "days", "WEEKLY": "weeks", "MONTHLY": "months", "YEARLY": "years"}
CUSTOM = "CUSTOM"
WEEKDAYS = {
    "MO": "Monday",
    "TU": "Tuesday",
    "WE": "Wednesday",
    "TH": "Thursday",
    "FR": "Friday",
    "SA": "Saturday",
    "SU": "Sunday",
}
MONTHLY = {
    "day": "on the same day of the month",
    "weekday": "on the same weekday of the month, such as the second Tuesday",
    "last_weekday": "on the last such weekday of the month",
    "last_day": "on the last day of the month",
}
ENDS = {"never": "never", "until": "on this day:", "count": "after this many times:"}
DAY_HELP = "One a line: 2027-03-08, or with a time of its own, 2027-03-08 18:30."


class RuleForm(forms.Form):
    """The rule of ``event``, which may have one already, and whom a change of it concerns."""

    scope = forms.ChoiceField(
        label="Change",
        choices=[choice for choice in Scope.choices if choice[0] != Scope.ONE],
        widget=forms.RadioSelect,
    )
    interval = forms.IntegerField(label="Repeats every", min_value=1, max_value=999, initial=1)
    unit = forms.ChoiceField(label="", choices=list(UNITS.items()), initial="WEEKLY")
    weekdays = forms.MultipleChoiceField(
        label="Weeks: on",
        choices=list(WEEKDAYS.items()),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="The weekday of the first date if none is chosen.",
    )
    monthly = forms.ChoiceField(
        label="Months:", choices=list(MONTHLY.items()), initial="day", required=False
    )
    ends = forms.ChoiceField(
        label="Ends", choices=list(ENDS.items()), initial="count", widget=forms.RadioSelect
    )
    until = forms.DateField(
        label="Last day", required=False, widget=forms.DateInput({"type": "date"}, "%Y-%m-%d")
    )
    count = forms.IntegerField(label="Times", required=False, min_value=1, initial=10)
    added = forms.CharField(
        label="Also on", required=False, widget=forms.Textarea({"rows": 3}), help_text=DAY_HELP
    )
    excluded = forms.CharField(
        label="But not on", required=False, widget=forms.Textarea({"rows": 3}), help_text=DAY_HELP
    )

    def __init__(self, event, series, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.event, self.series = event, series
        if series is None:
            del self.fields["scope"]
            return
        self.initial = _initial(series)
        if self.initial["unit"] == CUSTOM:
            self.fields["unit"].choices = [*UNITS.items(), (CUSTOM, f"as now: {series.rrule}")]

    @property
    def start(self):
        return self.series.start if self.series else self.event.start_date

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

    @property
    def scope_or_none(self):
        return Scope(self.cleaned_data["scope"]) if self.series else None

    def rule(self):
        """Return the rule of a valid form."""
        data = self.cleaned_data
        return Rule(self._rrule(data), data["added"], data["excluded"])

    def _rrule(self, data):
        if data["unit"] == CUSTOM:
            return self.series.rrule
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
            if len(text) == len("2027-03-08"):
                return dt.datetime.combine(dt.date.fromisoformat(text), self.start.time())
            return dt.datetime.fromisoformat(text).replace(tzinfo=None, microsecond=0)
        except ValueError as e:
            raise forms.ValidationError(
                f"“{text[:40]}” is not a date such as 2027-03-08, or 2027-03-08 18:30."
            ) from e


def _monthly(kind, start):
    weekday = list(WEEKDAYS)[start.weekday()]
    return {
        "day": [],
        "weekday": [f"BYDAY={(start.day + 6) // 7}{weekday}"],
        "last_weekday": [f"BYDAY=-1{weekday}"],
        "last_day": ["BYMONTHDAY=-1"],
    }[kind or "day"]


def _initial(series):
    """Return what the form shows of a series that exists."""
    parts = split(series.rrule)
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
        "scope": Scope.ALL.value,
        "unit": unit if is_known else CUSTOM,
        "interval": interval,
        "weekdays": weekdays,
        "monthly": monthly or "day",
        "ends": "until" if until else "count" if count else "never",
        "until": dt.datetime.strptime(until[:8], "%Y%m%d").date() if until else None,  # noqa: DTZ007
        "count": count or None,
        "added": _shown(series, series.recurrence.rdates),
        "excluded": _shown(series, series.recurrence.exdates),
    }


def _monthly_kind(days, month_day):
    if not days:
        return {"": "day", "-1": "last_day"}.get(month_day, "")
    if month_day or not re.fullmatch(r"(-1|[1-5])[A-Z]{2}", days):
        return ""
    return "last_weekday" if days.startswith("-") else "weekday"


def _shown(series, days):
    clock = series.start.time()
    return "\n".join(
        f"{day:%Y-%m-%d}" if day.time() == clock else f"{day:%Y-%m-%d %H:%M}" for day in days
    )
