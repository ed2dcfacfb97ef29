"""Expands recurring events (RFC 5545, 3.8.5) into occurrences."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from operator import attrgetter

import icalendar
import recurring_ical_events

from .deadline import time_limit
from .rules import KeptRule, rule_of
from .vevent import Entry

EXPAND_SECONDS = 2  # for one rule
MAX_OCCURRENCES = 1000  # of one rule
EARLIEST = dt.datetime(1900, 1, 1, tzinfo=dt.UTC)
RECURRENCE = {"RRULE", "RDATE", "EXDATE", "RECURRENCE-ID"}
NEEDED = RECURRENCE | {"DTSTART", "DTEND", "DURATION"}
# What the libraries raise for malformed values.
MALFORMED = (ValueError, TypeError, AttributeError, KeyError, IndexError, OverflowError)


class Malformed(Exception):
    """A component is malformed; the message is a sentence that says why."""


@dataclass(frozen=True)
class Series:
    """The event of a UID, or the occurrences of a recurring one."""

    uid: str
    entries: list[Entry]
    repeats: bool
    # The first and last start between which entries is complete; None for no limits.
    span: tuple[dt.datetime, dt.datetime] | None = None
    remarks: list[str] = field(default_factory=list)
    rule: KeptRule | None = None


def series_of(
    uid: str,
    components: list[icalendar.Event],
    entry: Callable[[str, icalendar.Event], Entry],
    now: dt.datetime,
    horizon: dt.timedelta,
) -> Series:
    """Return the events in the components of one UID, up to horizon after now.

    Raises Malformed, and TooSlowError for a rule that takes too long to expand.
    """
    for component in components:
        _drop_broken(component)
    try:
        if not any(RECURRENCE & set(component) for component in components):
            newest = max(components, key=attrgetter("sequence"))
            return Series(uid, [entry(uid, newest)], repeats=False)
        with time_limit(EXPAND_SECONDS):
            found = _expanded(components, now + horizon)
            ids = [f"{uid}/{_recurrence_id(part)}" for part in found]
            entries = [entry(key, part) for key, part in zip(ids, found, strict=True)]
            rule = rule_of(components, found, ids, now + horizon, entries[0].zone) if ids else None
    except MALFORMED as e:
        raise Malformed(f"{str(e)[:200].rstrip('.')}.") from e
    series = _bounded(uid, sorted(entries, key=attrgetter("start")), now, now + horizon)
    return replace(series, rule=rule)


def _drop_broken(component):
    """Remove the properties that cannot be read. Raises Malformed for those that are needed."""
    for name, problem in component.errors:
        if name in NEEDED:
            raise Malformed(f"its {name} is invalid: {problem}.")
        component.pop(name or "", None)
    if "DTSTART" not in component:
        raise Malformed("it has no DTSTART.")


def _expanded(components, until):
    calendar = icalendar.Calendar()
    calendar.subcomponents = components
    return recurring_ical_events.of(calendar).between(EARLIEST, until)


def _recurrence_id(part):
    """Return the ID of an occurrence in its series; it stays the same if the occurrence moves."""
    moment = part["RECURRENCE-ID"].dt
    if not isinstance(moment, dt.datetime):
        return f"{moment:%Y%m%d}"
    if moment.tzinfo is None:
        return f"{moment:%Y%m%dT%H%M%S}"
    return f"{moment.astimezone(dt.UTC):%Y%m%dT%H%M%SZ}"


def _bounded(uid, entries, now, until):
    """Return the series of the entries; of too many, the next ones, then the latest past ones."""
    if len(entries) <= MAX_OCCURRENCES:
        span = EARLIEST.replace(tzinfo=None), until.replace(tzinfo=None)
        return Series(uid, entries, repeats=True, span=span)
    wall = now.replace(tzinfo=None)
    past = [entry for entry in entries if entry.end < wall]
    coming = entries[len(past) :][:MAX_OCCURRENCES]
    chosen = [*past[len(past) + len(coming) - MAX_OCCURRENCES :], *coming]
    first, last = chosen[0], chosen[-1]
    remark = (
        f"Event '{first.title[:80]}' (UID {uid[:80]}) recurs {len(entries)} times until "
        f"{until:%Y-%m-%d}; the {MAX_OCCURRENCES} from {first.start:%Y-%m-%d} to "
        f"{last.start:%Y-%m-%d} were imported."
    )
    return Series(uid, chosen, repeats=True, span=(first.start, last.start), remarks=[remark])
