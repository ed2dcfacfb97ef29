"""VTIMEZONE components (RFC 5545, 3.6.5), which tell a reader what a TZID means."""

import datetime as dt
from functools import lru_cache

import icalendar

# What a rule may be beyond these years nobody knows; and 8,000 years of summers are a long list.
FIRST_YEAR, LAST_YEAR = 1970, 2100


def timezones(spans: dict[str, tuple[int, int]]) -> list[icalendar.Timezone]:
    """Return a VTIMEZONE for each IANA name, for the years of its span (first and last)."""
    return [_timezone(name, *_bounded(span)) for name, span in sorted(spans.items())]


def _bounded(span):
    first, last = (min(max(year, FIRST_YEAR), LAST_YEAR) for year in span)
    return first - 1, last + 1


@lru_cache(maxsize=256)
def _timezone(name, first_year, last_year):
    zone = icalendar.Timezone.from_tzid(
        name, first_date=dt.date(first_year, 1, 1), last_date=dt.date(last_year + 1, 1, 1)
    )
    for change in zone.subcomponents:
        _date_by_the_old_clock(change)
    return zone


def _date_by_the_old_clock(change):
    """Move what the library dates by the new clock; the RFC wants the time before the change."""
    gap = change.TZOFFSETTO - change.TZOFFSETFROM
    if gap <= dt.timedelta(0):
        return
    change.DTSTART -= gap
    if later := change.pop("RDATE", None):
        change.add("RDATE", [moment.dt - gap for moment in later.dts])
