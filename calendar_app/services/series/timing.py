"""Moves the events of a series to another time of the day, or to the dates of a changed rule."""

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ...models import Event, Series
from ...models.post import changed
from ...values import time_zones
from ...values.recurrence import Recurrence
from .dates import (
    Rule,
    horizon,
    made_at_once,
    require_known_exclusions,
    require_synchronized,
)
from .occurrences import TIMES, place, relisting
from .scope import Scope, date_of

NEAR = dt.timedelta(days=7)  # an event moves to a date of a new rule by less than this
COLUMNS = [*TIMES, "timezone", "all_day", "original_start", "modified", "modified_utc"]
BATCH = 100

Move = Callable[[dt.datetime], dt.datetime]


@dataclass
class Timing:
    """The dates of a changed series, and what becomes of its events."""

    recurrence: Recurrence
    until: dt.datetime
    placed: list[tuple[Event, dt.datetime]] = field(default_factory=list)
    missing: list[dt.datetime] = field(default_factory=list)
    dropped: list[Event] = field(default_factory=list)
    restored: list[Event] = field(default_factory=list)

    @property
    def days(self) -> list[tuple[dt.datetime, str]]:
        """Each date with what becomes of it, in order.

        That is ``kept``, ``new``, ``dropped``, or ``restored`` for one that was cancelled.
        """
        found = [(day, "kept") for event, day in self.placed if not event.is_trashed]
        found += [(day, "restored") for event, day in self.placed if event in self.restored]
        found += [(day, "new") for day in self.missing]
        found += [(date_of(event), "dropped") for event in self.dropped]
        return sorted(found)


def new_timing(
    series: Series,
    stored: Event,
    event: Event,
    rule: Rule | None,
    others: Sequence[Event],
    scope: Scope,
) -> Timing | None:
    """Return the timing of series after stored was changed to event; None if it stays the same.

    A cancelled event takes place again if rule has its date, and excludes it no more. Raises
    RuleError.
    """
    if rule is None and not _is_retimed(stored, event):
        return None
    in_zone = _conversion(series, stored)
    before = series.recurrence.mapped(in_zone)
    distance = event.start_date - stored.start_date
    if rule is None:
        recurrence = before.mapped(lambda day: day + distance)
        require_synchronized(recurrence)
    else:
        recurrence = _following(rule, before.start + distance, scope)
    until = max(horizon(recurrence.start), series.made_until)
    timing = Timing(recurrence, until)
    move = _same_day_move(before.start, distance) if rule else (lambda day: day + distance)
    _match(timing, [event, *others], lambda day: move(in_zone(day)))
    excluded = {*series.recurrence.exdates}
    timing.restored = [
        each for each, _ in timing.placed if each.is_trashed and date_of(each) in excluded
    ]
    if rule is None:
        # Earlier ones were deleted for good.
        made = in_zone(series.made_until) + distance
        timing.missing = [day for day in timing.missing if day > made]
    return timing


def _is_retimed(stored: Event, event: Event) -> bool:
    names = ("start_date", "end_date", "timezone", "all_day")
    return any(getattr(stored, name) != getattr(event, name) for name in names)


def _conversion(series: Series, stored: Event) -> Move:
    """Return the function from times in the zone of series to those in the zone of its events."""
    if series.all_day or series.timezone == stored.timezone:
        return lambda day: day
    there, here = series.zone, time_zones.get(stored.timezone)
    return lambda day: time_zones.to_wall(time_zones.to_utc(day, there), here)


def _following(rule: Rule, start: dt.datetime, scope: Scope) -> Recurrence:
    """Return the recurrence of rule from its first date on that is not before start."""
    if scope == Scope.FOLLOWING:
        rule = rule.since(start)  # those before are dates of the other part
    found = rule.starting(start)
    found = replace(found, start=next(found.rule_dates(), start))
    require_synchronized(found)
    require_known_exclusions(found)
    return found


def _same_day_move(start: dt.datetime, distance: dt.timedelta) -> Move:
    clock, now = start.time(), (start + distance).time()
    return lambda day: dt.datetime.combine(day, now) if day.time() == clock else day


def _match(timing: Timing, events: Sequence[Event], move: Move) -> None:
    """Place events on the dates of timing: on their own, or else on near ones that are free."""
    free = dict.fromkeys(made_at_once(timing.recurrence, timing.until))
    left = []
    for event in sorted(events, key=date_of):
        day = move(date_of(event))
        if day in free:
            del free[day]
            timing.placed.append((event, day))
        elif not event.is_trashed:
            left.append((event, day))
    waiting = list(free)
    for event, day in left:
        while waiting and waiting[0] <= day - NEAR:
            timing.missing.append(waiting.pop(0))
        if waiting and waiting[0] < day + NEAR:
            timing.placed.append((event, waiting.pop(0)))
        else:
            timing.dropped.append(event)
    timing.missing += waiting


def apply(timing: Timing, series: Series, stored: Event, event: Event) -> None:
    """Move the events of series, of which stored was changed to event, to their new dates.

    ``event`` and ``series`` are for the caller to save.
    """
    regular = {each.pk for each, _ in timing.placed if _is_regular(each, series)}
    regular = regular - {event.pk} | ({event.pk} if _is_regular(stored, series) else set())
    series.recurrence = timing.recurrence
    series.timezone, series.all_day = event.timezone, event.all_day
    others = [each for each, _ in timing.placed if each.pk != event.pk]
    length, now = stored.end_date - stored.start_date, event.end_date - event.start_date
    with relisting(others):
        for each, day in timing.placed:
            each.series, each.original_start = series, day
            own = each.end_date - each.start_date
            if each.timezone == stored.timezone:
                each.timezone = event.timezone
            each.all_day = event.all_day if each.all_day == stored.all_day else each.all_day
            if each.pk in regular:
                place(each, day, now if own == length else own)
            else:
                each.derive_times()
            for name, value in changed().items():
                setattr(each, name, value)
        Event.objects.bulk_update(others, COLUMNS, batch_size=BATCH)


def _is_regular(event: Event, series: Series) -> bool:
    """Return whether event starts when its series says so."""
    day = date_of(event)
    return bool(
        event.start_date == day
        if event.all_day
        else event.start_utc == time_zones.to_utc(day, series.zone)
    )
