"""Converts times of iCalendar (RFC 5545, 3.3.5) to local times in zones of the calendar."""

import datetime as dt

from ..values import time_zones


def place(moment: dt.datetime, tzid: str, fallback: str, *, is_utc_local: bool = False):
    """Return a moment as (naive local time, name of its zone).

    A floating time is in the zone named tzid, else in fallback. A time in an unknown zone, which
    the file defines itself, is converted to fallback. With ``is_utc_local`` a time in UTC is too:
    programs that name the zone of a calendar write single events in UTC.
    """
    if moment.tzinfo is None:
        return moment, known(tzid) or fallback
    name = known(str(moment.tzinfo))
    if name and not (name == "UTC" and is_utc_local):
        return moment.replace(tzinfo=None), name
    return time_zones.to_wall(moment, time_zones.get(fallback)), fallback


def known(name: str) -> str:
    """Return the canonical name of a zone, even after a vendor's prefix; '' if unknown."""
    parts = name.strip().strip("/").split("/")
    for start in range(min(len(parts), 10)):
        try:
            return time_zones.canonical("/".join(parts[start:]))
        except time_zones.ZoneError:
            continue
    return ""
