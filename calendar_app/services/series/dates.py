"""Which dates a series has, and until when its events are made."""

import datetime as dt
from itertools import islice
from typing import NamedTuple

from django.utils import timezone

from ...conf import conf
from ...models import Event, Series
from ...values import time_zones
from ...values.recurrence import Recurrence, RuleError, checked

FARTHEST = dt.timedelta(days=36_525)  # of an excluded date, lest looking for it take for ever
AT_LEAST = dt.timedelta(days=1)  # between two extensions of a series


class Rule(NamedTuple):
    """A rule as in iCalendar, with UNTIL in local time, and the dates beside it."""

    rrule: str
    rdates: tuple[dt.datetime, ...] = ()
    exdates: tuple[dt.datetime, ...] = ()

    def since(self, first: dt.datetime) -> "Rule":
        """Return the same without added and excluded dates before first."""
        rdates, exdates = (
            tuple(day for day in days if day >= first) for days in (self.rdates, self.exdates)
        )
        return Rule(self.rrule, rdates, exdates)

    def starting(self, start: dt.datetime) -> Recurrence:
        """Return the recurrence from start on. Raises RuleError."""
        rrule = checked(self.rrule, start) if self.rrule else ""
        return Recurrence(start, rrule, self.rdates, self.exdates)


def preview(event: Event, rule: Rule) -> list[dt.datetime]:
    """Return the local times at which the events of a new series would start, event's first."""
    return made_at_once(new_recurrence(event, rule))


def new_recurrence(event: Event, rule: Rule) -> Recurrence:
    """Return the recurrence of a new series whose first event is event. Raises RuleError."""
    recurrence = rule.starting(event.start_date)
    require_synchronized(recurrence)
    require_known_exclusions(recurrence)
    if next(recurrence.dates(), None) != recurrence.start:
        raise RuleError(
            f"{day_in_words(recurrence.start)} is the first date and cannot be excluded: let the "
            "event start on the next one."
        )
    return recurrence


def made_at_once(recurrence: Recurrence, until: dt.datetime | None = None) -> list[dt.datetime]:
    """Return the dates up to the horizon, or until. Raises RuleError if they are too many."""
    most = conf.SERIES_MAX_DATES
    days = list(islice(recurrence.dates(until or horizon(recurrence.start)), most + 1))
    if len(days) > most:
        raise RuleError(
            f"The rule makes more than {most} dates by {days[-1]:%Y-%m-%d}, and a series may have "
            f"{most} at once: let it end earlier, or repeat less often."
        )
    return days


def require_synchronized(recurrence: Recurrence) -> None:
    """Raise RuleError unless the rule includes the first date: else programs would disagree."""
    first = next(recurrence.rule_dates(), None)
    if first is None:
        raise RuleError(f"The rule ends before its first date, {day_in_words(recurrence.start)}.")
    if first != recurrence.start:
        raise RuleError(
            f"{day_in_words(recurrence.start)} is not a date of the rule, whose first date from "
            f"then on is {day_in_words(first)}: change the start of the event, or the rule."
        )


def require_known_exclusions(recurrence: Recurrence) -> None:
    """Raise RuleError for an excluded date that would be none anyway."""
    without = Recurrence(recurrence.start, recurrence.rrule, recurrence.rdates)
    last = max(recurrence.exdates, default=recurrence.start)
    if last - recurrence.start > FARTHEST:
        raise RuleError(f"{day_in_words(last)} is excluded, but is over 100 years after the start.")
    if unknown := {*recurrence.exdates} - {*without.dates(last)}:
        day = min(unknown)
        raise RuleError(
            f"{day_in_words(day)}, {day:%H:%M}, is excluded, but is not a date of the series."
        )


def horizon(start: dt.datetime, now: dt.datetime | None = None) -> dt.datetime:
    """Return the local time until which the events of a series that begins at start are made."""
    begin = max(start, (now or timezone.now()).replace(tzinfo=None))
    try:
        return begin + dt.timedelta(days=conf.SERIES_HORIZON_DAYS)
    except OverflowError:
        return time_zones.LATEST


def set_made_until(series: Series, until: dt.datetime, now: dt.datetime | None = None) -> None:
    """Note that series has its events until then, and when the next ones are to be made."""
    series.made_until, series.extend_at = until, None
    following = next((day for day in series.recurrence.dates() if day > until), None)
    if following is not None:
        due = time_zones.to_utc(following, series.zone)
        due -= dt.timedelta(days=conf.SERIES_HORIZON_DAYS)
        series.extend_at = max(due, (now or timezone.now()) + AT_LEAST)


def day_in_words(day: dt.datetime) -> str:
    """Return ``Tuesday 2 March 2027``."""
    return f"{day:%A} {day.day} {day:%B} {day.year}"
