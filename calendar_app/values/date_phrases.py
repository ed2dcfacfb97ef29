"""The grammar of date phrases: text in, a Phrase out; `dates` lists the forms.

Each part of a phrase has one function, registered with its patterns. The patterns have no nested
repetition and a text is at most MAX_LENGTH characters, so that no text takes long to parse.
"""

import calendar
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

from dateutil.relativedelta import relativedelta

MAX_LENGTH = 64
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

WEEKDAYS = [name.lower() for name in calendar.day_name]
MONTHS = [name.lower() for name in calendar.month_name]
STEPS = {"this": 0, "next": 1, "last": -1, "previous": -1}
DAYS = {"yesterday": -1, "today": 0, "tomorrow": 1}
UNITS = {
    "sec": ("seconds", 1),
    "second": ("seconds", 1),
    "min": ("minutes", 1),
    "minute": ("minutes", 1),
    "hour": ("hours", 1),
    "day": ("days", 1),
    "week": ("weeks", 1),
    "fortnight": ("weeks", 2),
    "month": ("months", 1),
    "year": ("years", 1),
}


@dataclass
class Phrase:
    """The meaning of the parts of a text; None for parts that it lacks."""

    anchor: datetime | None = None  # the instant to count from, instead of now
    day: Callable[[date], date] | None = None  # which day, given today
    clock: time | None = None
    offset: tzinfo | None = None
    distances: list[tuple[str, int]] = field(default_factory=list)
    is_relative: bool = True

    def once(self, name: str, value: object) -> None:
        """Set the value of a part. Raises ValueError if another part has set it."""
        if getattr(self, name) is not None:
            raise ValueError(f"more than one {name}")
        setattr(self, name, value)


Taker = Callable[[Phrase, re.Match[str]], None]
_PARTS: list[tuple[re.Pattern[str], Taker]] = []


def read(text: str) -> Phrase:
    """Return the phrase in a text. Raises ValueError, or OverflowError for a huge timestamp."""
    rest = " ".join(text.lower().split())
    if not rest or len(text) > MAX_LENGTH:
        raise ValueError(f"{len(text)} characters")
    phrase, position = Phrase(), 0
    while position < len(rest):
        take, match = _next_part(rest, position)
        take(phrase, match)
        position = match.end()
    return phrase


def _next_part(text: str, position: int) -> tuple[Taker, re.Match[str]]:
    for pattern, take in _PARTS:
        if match := pattern.match(text, position):
            return take, match
    raise ValueError(text[position:])


def _part(*patterns: str) -> Callable[[Taker], Taker]:
    """Register a function for these patterns, each followed by a place where a part may end."""
    end = r"(?:[ ,]+(?:at )?|(?=t\d)|(?=[+-])|$)"

    def register(take: Taker) -> Taker:
        _PARTS.extend((re.compile(f"(?:{each}){end}", re.ASCII), take) for each in patterns)
        return take

    return register


def _names(words: list[str]) -> str:
    """Return a pattern for words or their first three letters."""
    return "|".join(f"{word[:3]}(?:{word[3:]})?" for word in words)


_WEEKDAY = f"(?P<weekday>{_names(WEEKDAYS)})"
_MONTH = f"(?P<month>{_names(MONTHS[1:])})"
_STEP = f"(?P<step>{'|'.join(STEPS)})"
_UNIT = f"(?P<unit>{'|'.join(UNITS)})s?"
_OFFSET = (
    r"(?P<offset> ?(?:z|utc)"
    rf"| ?[+-]\d\d(?::?\d\d)?(?! ?(?:{'|'.join(UNITS)}))"
    # A plus sign that became a space: two times in a row can mean nothing else.
    r"| \d\d:\d\d)?"
)


@_part("now")
def _now(phrase: Phrase, said: re.Match[str]) -> None:
    """Do nothing: every phrase starts from now."""


@_part(r"(?P<seconds>-?\d{9,})")
def _timestamp(phrase: Phrase, said: re.Match[str]) -> None:
    phrase.once("anchor", EPOCH + timedelta(seconds=int(said["seconds"])))
    phrase.is_relative = False


@_part(
    r"(?P<year>\d{4})(?P<sep>[-/])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})",
    r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)",
    r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})",
    r"(?P<day>\d{1,2})(?P<sep>[-.])(?P<month>\d{1,2})(?P=sep)(?P<year>\d{4})",
    rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?P<sep>[ -]){_MONTH}(?P=sep)(?P<year>\d{{4}})",
    rf"{_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<year>\d{{4}})",
)
def _date(phrase: Phrase, said: re.Match[str]) -> None:
    year, month, day = int(said["year"]), _month(said["month"]), int(said["day"])
    # Year 0 is a leap year, as is 4, and ends before the first date of Python.
    fixed = date(year or 4, month, day) if year else min(date.min, date(4, month, day))
    phrase.once("day", lambda today: fixed)
    phrase.is_relative = False


@_part(rf"(?P<edge>first|last) day of {_MONTH} (?P<year>\d{{4}})")
def _edge_of_month(phrase: Phrase, said: re.Match[str]) -> None:
    edge = _edge(said)
    first = date(int(said["year"]), _month(said["month"]), 1)
    phrase.once("day", lambda today: first + edge)
    phrase.is_relative = False


@_part(rf"(?P<edge>first|last) day of {_STEP} month")
def _edge_of_near_month(phrase: Phrase, said: re.Match[str]) -> None:
    months, edge = STEPS[said["step"]], _edge(said)
    phrase.once("day", lambda today: today + relativedelta(months=months) + edge)


@_part(f"(?P<day>{'|'.join(DAYS)})")
def _near_day(phrase: Phrase, said: re.Match[str]) -> None:
    days = timedelta(days=DAYS[said["day"]])
    phrase.once("day", lambda today: today + days)


@_part(rf"{_WEEKDAY} {_STEP} week")
def _weekday_of_week(phrase: Phrase, said: re.Match[str]) -> None:
    days = _weekday_index(said) + 7 * STEPS[said["step"]]
    phrase.once("day", lambda today: today + timedelta(days=days - today.weekday()))


@_part(rf"(?:{_STEP} )?{_WEEKDAY}")
def _weekday(phrase: Phrase, said: re.Match[str]) -> None:
    index, step = _weekday_index(said), STEPS[said["step"] or "this"]

    def day(today: date) -> date:
        ahead = (index - today.weekday()) % 7
        if step > 0:
            ahead = ahead or 7
        return today + timedelta(days=ahead - 7 if step < 0 else ahead)

    phrase.once("day", day)


@_part("(?P<noon>noon)|midnight")
def _named_time(phrase: Phrase, said: re.Match[str]) -> None:
    phrase.once("clock", time(12 if said["noon"] else 0))


@_part(
    r"t?(?P<hour>\d{1,2}):(?P<minute>\d\d)"
    r"(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,9}))?)?(?: ?(?P<half>am|pm))?" + _OFFSET,
    r"t(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)?" + _OFFSET,
    r"(?P<hour>\d{1,2}) ?(?P<half>am|pm)" + _OFFSET,
)
def _time(phrase: Phrase, said: re.Match[str]) -> None:
    figures = said.groupdict()
    minute, second = int(figures.get("minute") or 0), int(figures.get("second") or 0)
    microsecond = int((figures.get("fraction") or "0").ljust(6, "0")[:6])
    hour = _hour(int(figures["hour"]), figures.get("half"))
    phrase.once("clock", time(hour, minute, second, microsecond))
    if figures["offset"]:
        phrase.once("offset", _offset(figures["offset"].strip()))


@_part(rf"(?P<sign>[+-]?) ?(?P<count>\d+) ?{_UNIT}")
def _distance(phrase: Phrase, said: re.Match[str]) -> None:
    unit, size = UNITS[said["unit"]]
    phrase.distances.append((unit, size * int(said["sign"] + said["count"])))


@_part(rf"{_STEP} {_UNIT}")
def _near(phrase: Phrase, said: re.Match[str]) -> None:
    unit, size = UNITS[said["unit"]]
    phrase.distances.append((unit, size * STEPS[said["step"]]))


@_part("ago")
def _ago(phrase: Phrase, said: re.Match[str]) -> None:
    """Negate the distances before it."""
    if not phrase.distances:
        raise ValueError("ago what?")
    phrase.distances = [(unit, -count) for unit, count in phrase.distances]


def _month(text: str) -> int:
    """Return the number of a month, given in digits or by the first letters of its name."""
    if text.isdigit():
        return int(text)
    return next(i for i, name in enumerate(MONTHS) if name[:3] == text[:3])


def _weekday_index(said: re.Match[str]) -> int:
    """Return 0 for Monday to 6 for Sunday."""
    return next(i for i, name in enumerate(WEEKDAYS) if name[:3] == said["weekday"][:3])


def _edge(said: re.Match[str]) -> relativedelta:
    # relativedelta reduces day 31 to the last day of the month.
    return relativedelta(day=1 if said["edge"] == "first" else 31)


def _hour(figure: int, half: str | None) -> int:
    """Return the hour of the day; with am or pm the figure must be from 1 to 12."""
    if half is None:
        return figure
    if not 1 <= figure <= 12:
        raise ValueError(f"{figure} {half}")
    return figure % 12 + (12 if half == "pm" else 0)


def _offset(text: str) -> tzinfo:
    """Return the zone of `z`, `utc`, `+02`, `+0200`, `+02:00` or `02:00`."""
    if text in ("z", "utc"):
        return UTC
    digits = text.lstrip("+-").replace(":", "")
    hours, minutes = int(digits[:2]), time(0, int(digits[2:] or 0)).minute
    offset = timedelta(hours=hours, minutes=minutes)
    return timezone(-offset if text.startswith("-") else offset)
