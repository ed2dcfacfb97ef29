"""Reads the events of an iCalendar file (RFC 5545), from any program, as plain values."""

import datetime as dt
import hashlib
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import icalendar
from icalendar.timezone import tzp

from .deadline import TooSlowError, time_limit
from .recurrence import MALFORMED, Malformed, Series, series_of
from .rules import CLOCK, rules_of
from .text import plain
from .vevent import Entry, entry_of
from .wall_times import known

PARSE_SECONDS = 120
MAX_DEPTH = 10  # of nested components; the RFC has two levels
MAX_ENTRIES = 50_000
MAX_SLOW = 10  # rules that may exceed the time limit before the file is rejected
MAX_UID = 200  # characters; a longer one is replaced by its hash
MAX_ZONE_RULES = 100  # of one zone
PARSING = threading.Lock()
BEGIN_OR_END = re.compile(rb"^(begin|end):", re.IGNORECASE | re.MULTILINE)


class ReadError(Exception):
    """The file contains no calendar that can be read; the message is a sentence."""


@dataclass
class CalendarFile:
    """The events of a file, and a sentence on each one that is skipped."""

    name: str
    groups: dict[str, list[icalendar.Event]]
    zone: str  # of times without one
    is_utc_local: bool
    problems: list[str] = field(default_factory=list)

    def series(self, now: dt.datetime, horizon: dt.timedelta) -> Iterator[Series]:
        """Yield the series of each UID, up to horizon after now. Raises ReadError."""
        number = slow = 0
        for uid, components in self.groups.items():
            try:
                found = series_of(uid, components, self._entry, now, horizon)
            except Malformed as e:
                self.problems.append(f"Event {described(components[0])} was skipped: {e}")
            except TooSlowError:
                slow += 1
                self.problems.append(
                    f"Event {described(components[0])} was skipped: its recurrence rule takes "
                    "too long to expand."
                )
                if slow == MAX_SLOW:
                    raise ReadError(
                        f"{MAX_SLOW} recurrence rules of the file take too long to expand."
                    ) from None
            else:
                self.problems += found.remarks
                number += len(found.entries)
                if number > MAX_ENTRIES:
                    raise ReadError(f"The file has more than {MAX_ENTRIES} events to import.")
                yield found

    def _entry(self, source_id, component) -> Entry:
        return entry_of(source_id, component, self.zone, is_utc_local=self.is_utc_local)


def read(data: bytes, site_zone: str) -> CalendarFile:
    """Return the events of an iCalendar file. Raises ReadError.

    Times without a zone are in that of the file (X-WR-TIMEZONE), else in site_zone.
    """
    calendars = _calendars(data)
    names = [known(str(calendar.get("X-WR-TIMEZONE", ""))) for calendar in calendars]
    own_zone = next(filter(None, names), "")
    file = CalendarFile(
        name=str(calendars[0].get("X-WR-CALNAME", "")),
        groups={},
        zone=own_zone or site_zone,
        is_utc_local=bool(own_zone),
    )
    for calendar in calendars:
        for component in calendar.subcomponents:
            if component.name == "VEVENT":
                _collect(component, file)
    return file


def described(component) -> str:
    """Return a component's title and UID, to name it in messages."""
    title = str(component.get("SUMMARY", "")) or "without a title"
    return f"'{title[:80]}' (UID {str(component.get('UID', '')).strip()[:80]})"


def _collect(component, file):
    uid = plain(str(component.get("UID", ""))).strip()
    if uid:
        file.groups.setdefault(_short(uid), []).append(component)
    else:
        file.problems.append(f"Event {described(component)} was skipped: it has no UID.")


def _short(uid):
    return uid if len(uid) <= MAX_UID else hashlib.sha256(uid.encode()).hexdigest()


def _calendars(data):
    _require_flat(data)
    try:
        with time_limit(PARSE_SECONDS):
            found = _parsed(data)
    except MALFORMED as e:
        raise ReadError(f"The file is not valid iCalendar: {str(e)[:200]}") from e
    except TooSlowError as e:
        raise ReadError(f"The file takes more than {PARSE_SECONDS} seconds to read.") from e
    _require_yearly_zones(found)
    calendars = [component for component in found if component.name == "VCALENDAR"]
    if not calendars:
        raise ReadError("The file contains no complete calendar, BEGIN:VCALENDAR to END:VCALENDAR.")
    return calendars


def _parsed(data):
    """Return the components of a file, in the zones that it defines.

    The library keeps those under their names, for all files of the process that come later.
    """
    with PARSING:
        tzp.use_zoneinfo()
        return icalendar.Calendar.from_ical(data, multiple=True)


def _require_yearly_zones(components):
    """Raise ReadError for a zone with other rules: finding its offset may take for ever."""
    zones = (zone for component in components for zone in component.walk("VTIMEZONE"))
    for zone in zones:
        rules = [rule for part in zone.walk() for rule in rules_of(part)]
        is_yearly = all(rule.get("FREQ") == ["YEARLY"] and CLOCK.isdisjoint(rule) for rule in rules)
        if not is_yearly or len(rules) > MAX_ZONE_RULES:
            name = str(zone.get("TZID", ""))[:80]
            raise ReadError(f"The time zone '{name}' does not change by a few yearly rules.")


def _require_flat(data):
    depth = 0
    for match in BEGIN_OR_END.finditer(data):
        depth += 1 if match[1].lower() == b"begin" else -1
        if depth > MAX_DEPTH:
            raise ReadError(f"The file nests components more than {MAX_DEPTH} levels deep.")
