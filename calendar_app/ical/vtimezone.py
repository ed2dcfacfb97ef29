"""VTIMEZONE components (RFC 5545, 3.6.5), which define a TZID for readers."""

import datetime as dt
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

import icalendar

from ..values import time_zones

# Nobody knows the rules after 2100, and all years up to 9999 would make a long list.
FIRST_YEAR, LAST_YEAR = 1970, 2100
DAY, SECOND = dt.timedelta(days=1), dt.timedelta(seconds=1)


def timezones(spans: dict[str, tuple[int, int]]) -> list[icalendar.Timezone]:
    """Return a VTIMEZONE for each IANA name, for the span of years (first, last) it is used in."""
    return [_timezone(name, *_bounded(span)) for name, span in sorted(spans.items())]


def _bounded(span):
    first, last = (min(max(year, FIRST_YEAR), LAST_YEAR) for year in span)
    return first - 1, last + 1


@lru_cache(maxsize=256)
def _timezone(name, first_year, last_year):
    """Return the VTIMEZONE with one observance for each change of the clocks.

    One observance with many RDATEs would be shorter, but some programs read only the first RDATE,
    and some ignore DTSTART if there is one.
    """
    zone = time_zones.get(name)
    first, end = (dt.datetime(year, 1, 1, tzinfo=dt.UTC) for year in (first_year, last_year + 1))
    result = icalendar.Timezone()
    result.add("TZID", name)
    before = first.astimezone(zone)
    for change in [first, *_changes(zone, first, end)]:
        after = change.astimezone(zone)
        result.add_component(_observance(before, after))
        before = after
    return result


def _changes(zone, moment, end) -> Iterator[dt.datetime]:
    """Yield the instants up to end at which the offset of zone changes, to the second."""
    while moment < end:
        offset = moment.astimezone(zone).utcoffset()

        def is_past(seconds, start=moment, offset=offset):
            return (start + seconds * SECOND).astimezone(zone).utcoffset() != offset

        if is_past(DAY // SECOND):
            yield moment + bisect_left(range(DAY // SECOND), True, key=is_past) * SECOND
        moment += DAY


def _observance(before, after):
    """Return the component of a change; its start is in the old offset, as the RFC requires."""
    result = icalendar.TimezoneDaylight() if after.dst() else icalendar.TimezoneStandard()
    result.TZOFFSETFROM, result.TZOFFSETTO = before.utcoffset(), after.utcoffset()
    result.DTSTART = after.astimezone(dt.timezone(before.utcoffset())).replace(tzinfo=None)
    result.add("TZNAME", after.tzname())
    return result
