"""Times of iCalendar (RFC 5545, 3.3.5) as wall times in a zone that the calendar knows."""

import datetime as dt

from ..values import time_zones


def place(moment: dt.datetime, tzid: str, fallback: str, *, is_utc_local: bool = False):
    """Return a moment as (naive wall time, name of its zone).

    A floating time is in the zone that tzid names, else in the fallback. A time in a zone of the
    file's own making is the same instant in the fallback; with ``is_utc_local`` one in UTC too,
    since calendars that name their zone write single events in UTC.
    """
    if moment.tzinfo is None:
        return moment, known(tzid) or fallback
    name = known(str(moment.tzinfo))
    if name and not (name == "UTC" and is_utc_local):
        return moment.replace(tzinfo=None), name
    return time_zones.to_wall(moment, time_zones.get(fallback)), fallback


def known(name: str) -> str:
    """Return the canonical name of a zone, found also at the end of a vendor's path; else ''."""
    parts = name.strip().strip("/").split("/")
    for start in range(min(len(parts), 10)):
        try:
            return time_zones.canonical("/".join(parts[start:]))
        except time_zones.ZoneError:
            continue
    return ""
