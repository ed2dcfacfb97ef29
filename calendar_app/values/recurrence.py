"""Recurrence rules (RFC 5545, 3.3.10) and the dates that they make, as local times of one zone.

An interval of days or longer is all that a rule may have; the rest is dateutil's.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, tzinfo
from itertools import islice

from dateutil.rrule import rrule, rrulestr

from . import time_zones

FREQUENCIES = ("DAILY", "WEEKLY", "MONTHLY", "YEARLY")
KEYS = {
    *("FREQ", "INTERVAL", "COUNT", "UNTIL", "WKST", "BYDAY", "BYMONTHDAY", "BYMONTH", "BYSETPOS"),
    *("BYYEARDAY", "BYWEEKNO"),
}
MOST = {"COUNT": 999_999, "INTERVAL": 999}
LOCAL, INSTANT, DAY = "%Y%m%dT%H%M%S", "%Y%m%dT%H%M%SZ", "%Y%m%d"
LAST_SECOND = time(23, 59, 59)


class RuleError(ValueError):
    """The rule cannot be used; the message is a sentence for the caller."""


@dataclass(frozen=True)
class Recurrence:
    """A rule with its first date, and the dates added to it and excluded from it.

    ``rrule`` is as in iCalendar, with UNTIL in local time; "" if there are only added dates.
    """

    start: datetime
    rrule: str = ""
    rdates: tuple[datetime, ...] = ()
    exdates: tuple[datetime, ...] = ()

    def dates(self, until: datetime = time_zones.LATEST) -> Iterator[datetime]:
        """Yield the dates up to until in order."""
        made = self.rule_dates(until)
        rest = sorted({day for day in self.rdates if day <= until})
        excluded, last = {*self.exdates}, None
        for day in _merged(made, rest):
            if day != last and day not in excluded:
                yield day
            last = day

    def rule_dates(self, until: datetime = time_zones.LATEST) -> Iterator[datetime]:
        """Yield the dates of the rule alone up to until, also those that are excluded."""
        if not self.rrule:
            return iter([self.start] if self.start <= until else [])
        parts = split(self.rrule)
        end = min(until, _wall(parts.pop("UNTIL"))) if "UNTIL" in parts else until
        count = int(parts.pop("COUNT")) if "COUNT" in parts else None
        made = _parsed(joined(parts), self.start).replace(until=end)
        return islice(made, count)

    def ends_by(self, until: datetime) -> bool:
        """Return whether there is no date after until."""
        if any(day > until for day in self.rdates):
            return False
        parts = split(self.rrule) if self.rrule else {"COUNT": "1"}
        if "UNTIL" in parts and _wall(parts["UNTIL"]) <= until:
            return True
        if "COUNT" in parts:
            return sum(1 for _ in self.rule_dates(until)) >= int(parts["COUNT"])
        return False

    def until(self, last: datetime) -> "Recurrence":
        """Return the same without the dates after last."""
        parts = split(self.rrule)
        if parts and not self.ends_by(last):
            parts.pop("COUNT", None)
            parts["UNTIL"] = f"{last:{LOCAL}}"
        return replace(
            self,
            rrule=joined(parts),
            rdates=tuple(day for day in self.rdates if day <= last),
            exdates=tuple(day for day in self.exdates if day <= last),
        )

    def since(self, first: datetime) -> "Recurrence":
        """Return the same without the dates before first, which is one of its dates."""
        parts = split(self.rrule)
        following = next((day for day in self.rule_dates() if day >= first), None)
        if following is None:
            parts = {}
        elif "COUNT" in parts:
            before = sum(1 for day in self.rule_dates(first) if day < first)
            parts["COUNT"] = str(int(parts["COUNT"]) - before)
        return Recurrence(
            following or first,
            joined(parts),
            tuple(day for day in self.rdates if day >= first),
            tuple(day for day in self.exdates if day >= first),
        )

    def mapped(self, move: Callable[[datetime], datetime]) -> "Recurrence":
        """Return the same with the start and all dates that it names moved."""
        parts = split(self.rrule)
        if "UNTIL" in parts:
            parts["UNTIL"] = f"{move(_wall(parts['UNTIL'])):{LOCAL}}"
        return Recurrence(
            move(self.start),
            joined(parts),
            tuple(map(move, self.rdates)),
            tuple(map(move, self.exdates)),
        )


def checked(text: str, start: datetime, zone: tzinfo = UTC) -> str:
    """Return a rule in one spelling, with UNTIL as local time in zone. Raises RuleError."""
    parts = split(text)
    if unknown := parts.keys() - KEYS:
        raise RuleError(f"The rule '{text[:200]}' has {min(unknown)}, which is not supported.")
    if parts.get("FREQ") not in FREQUENCIES:
        raise RuleError(f"The rule '{text[:200]}' has no FREQ of {', '.join(FREQUENCIES)}.")
    if "UNTIL" in parts:
        parts["UNTIL"] = f"{_until(parts['UNTIL'], zone):{LOCAL}}"
    if {"UNTIL", "COUNT"} <= parts.keys():
        raise RuleError(f"The rule '{text[:200]}' has both COUNT and UNTIL.")
    for name, most in MOST.items():
        if name in parts and not _is_number(parts[name], most):
            raise RuleError(f"The {name} '{parts[name][:20]}' of a rule is not from 1 to {most}.")
    if parts.get("INTERVAL") == "1":
        del parts["INTERVAL"]
    _parsed(joined(parts), start)
    return joined(parts)


def split(text: str) -> dict[str, str]:
    """Return the parts of a rule: ``{"FREQ": "DAILY", "COUNT": "3"}``."""
    pairs = (part.partition("=") for part in text.strip().upper().split(";") if part)
    return {name.strip(): value.strip() for name, _, value in pairs}


def joined(parts: dict[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())


def date_id(day: datetime, zone: tzinfo | None) -> str:
    """Return the RECURRENCE-ID of a date: of a whole day without a zone, else of an instant."""
    return f"{time_zones.to_utc(day, zone):{INSTANT}}" if zone else f"{day:{DAY}}"


def _merged(made: Iterator[datetime], rest: list[datetime]) -> Iterator[datetime]:
    """Merge two ordered series of dates; made is read only as far as its reader goes."""
    waiting = iter(rest)
    extra = next(waiting, None)
    for day in made:
        while extra is not None and extra < day:
            yield extra
            extra = next(waiting, None)
        yield day
    while extra is not None:
        yield extra
        extra = next(waiting, None)


def _is_number(text: str, most: int) -> bool:
    """Return whether text is a number from 1 to most."""
    is_short = text.isascii() and text.isdecimal() and len(text) <= len(str(most))
    return is_short and 0 < int(text) <= most


def _parsed(text: str, start: datetime) -> rrule:
    try:
        found = rrulestr(text, dtstart=start)
    except (ValueError, TypeError, KeyError, IndexError, OverflowError) as e:
        raise RuleError(f"The rule '{text[:200]}' is invalid: {str(e)[:100]}.") from e
    if not isinstance(found, rrule):
        raise RuleError(f"The rule '{text[:200]}' is not a single rule.")
    return found


def _until(text: str, zone: tzinfo) -> datetime:
    """Return the UNTIL of a rule as naive local time: a day until its last second."""
    try:
        if len(text) == len("20270301"):
            return datetime.combine(date.fromisoformat(text), LAST_SECOND)
        if text.endswith("Z"):
            return time_zones.to_wall(datetime.strptime(text, INSTANT).replace(tzinfo=UTC), zone)
        return _wall(text)
    except ValueError as e:
        raise RuleError(f"The UNTIL '{text[:20]}' of a rule is not a date.") from e


def _wall(text: str) -> datetime:
    return datetime.strptime(text, LOCAL)  # noqa: DTZ007 - naive, as wall times are
