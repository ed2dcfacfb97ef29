"""Rules in words, such as “every 2 weeks on Monday and Thursday, 10 times”."""

import datetime as dt
import re

from django.utils.text import get_text_list

from ...values.recurrence import split

UNITS = {"DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year"}
WEEKDAYS = {
    "MO": "Monday",
    "TU": "Tuesday",
    "WE": "Wednesday",
    "TH": "Thursday",
    "FR": "Friday",
    "SA": "Saturday",
    "SU": "Sunday",
}
ORDINALS = {"1": "first", "2": "second", "3": "third", "4": "fourth", "5": "fifth", "-1": "last"}


def in_words(rrule):
    """Return what a rule means; the rule itself if it has parts that are rare."""
    parts = split(rrule)
    if not parts:
        return "on single dates"
    unit, number = UNITS.get(parts.pop("FREQ", "")), parts.pop("INTERVAL", "1")
    ending = _ending(parts.pop("UNTIL", ""), parts.pop("COUNT", ""))
    days = _days(unit, parts)
    if unit is None or days is None:
        return rrule
    every = f"every {unit}" if number == "1" else f"every {number} {unit}s"
    return f"{every}{days}{ending}"


def _days(unit, parts):
    """Return which days of the unit the rest of a rule names, or None for those that are rare."""
    if not parts:
        return ""
    names = parts.get("BYDAY", "").split(",")
    if unit == "month" and parts == {"BYMONTHDAY": "-1"}:
        return " on its last day"
    if parts.keys() != {"BYDAY"}:
        return None
    if unit == "week" and WEEKDAYS.keys() >= {*names}:
        return f" on {get_text_list([WEEKDAYS[name] for name in names], 'and')}"
    nth = re.fullmatch(r"(-1|[1-5])([A-Z]{2})", parts["BYDAY"])
    if unit == "month" and nth and nth[2] in WEEKDAYS:
        return f" on its {ORDINALS[nth[1]]} {WEEKDAYS[nth[2]]}"
    return None


def _ending(until, count):
    if until:
        day = dt.date.fromisoformat(f"{until[:4]}-{until[4:6]}-{until[6:8]}")
        return f" until {day.day} {day:%B} {day.year}"
    if count:
        return ", once" if count == "1" else f", {count} times"
    return ""
