"""Reads the rule of a recurring event, where this calendar can keep it."""

import datetime as dt
from dataclasses import dataclass

import icalendar

from ..values import time_zones
from ..values.recurrence import Recurrence, RuleError, checked
from .wall_times import known

CLOCK = {"BYHOUR", "BYMINUTE", "BYSECOND"}
MARGIN = dt.timedelta(days=2)  # near the end, where the zones of the two reckonings may differ


@dataclass(frozen=True)
class KeptRule:
    """A rule, the zone of its dates, and the date and the kind of each occurrence."""

    recurrence: Recurrence
    zone: str
    all_day: bool
    days: dict[str, dt.datetime]  # by source ID
    overrides: set[str]
    until: dt.datetime


def rule_of(components, parts, ids, until: dt.datetime, fallback: str) -> KeptRule | None:
    """Return the rule of the components of one UID; None if it is none that can be kept.

    ``parts`` are the occurrences up to until with these source IDs, as found by another reckoning,
    with which the rule has to agree.
    """
    masters = [each for each in components if "RECURRENCE-ID" not in each]
    changed = [each for each in components if "RECURRENCE-ID" in each]
    if len(masters) != 1 or any("RANGE" in each["RECURRENCE-ID"].params for each in changed):
        return None
    try:
        found = _read(masters[0], fallback)
    except (RuleError, ValueError):
        return None
    if found is None:
        return None
    recurrence, zone = found
    place = time_zones.get(zone)
    days = {
        key: _wall(part["RECURRENCE-ID"].dt, place) for key, part in zip(ids, parts, strict=True)
    }
    end = time_zones.to_wall(until, place)
    near = end - MARGIN
    if {day for day in days.values() if day <= near} != {*recurrence.dates(near)}:
        return None
    own = {_wall(each["RECURRENCE-ID"].dt, place) for each in changed}
    overrides = {key for key, day in days.items() if day in own}
    all_day = not isinstance(masters[0]["DTSTART"].dt, dt.datetime)
    return KeptRule(recurrence, zone, all_day, days, overrides, end)


def rules_of(component) -> list[dict[str, list]]:
    """Return the rules of a component in capitals; not those that are malformed."""
    return [
        {str(name).upper(): [str(each).upper() for each in values] for name, values in rule.items()}
        for rule in _properties(component, "RRULE")
        if isinstance(rule, icalendar.vRecur)
    ]


def _read(master, fallback) -> tuple[Recurrence, str] | None:
    """Return the recurrence of a component and the name of the zone that it is reckoned in."""
    start = master["DTSTART"].dt
    rules = _properties(master, "RRULE")
    if len(rules) > 1 or "EXRULE" in master:
        return None
    if not isinstance(start, dt.datetime):
        zone = fallback
    elif start.tzinfo is None or not (zone := known(str(start.tzinfo))):
        return None
    place = time_zones.get(zone)
    wall = _wall(start, place)
    rrule = checked(rules[0].to_ical().decode(), wall, place) if rules else ""
    dates = {name: tuple(_listed(master, name, place)) for name in ("RDATE", "EXDATE")}
    return Recurrence(wall, rrule, dates["RDATE"], dates["EXDATE"]), zone


def _properties(component, name) -> list:
    """Return all properties of a name; of a single one the library makes no list."""
    found = component.get(name, [])
    return found if isinstance(found, list) else [found]


def _listed(master, name, place):
    for values in _properties(master, name):
        for value in values.dts:
            if not isinstance(value.dt, dt.date):
                raise RuleError(f"{name} has a period.")
            yield _wall(value.dt, place)


def _wall(moment, place):
    if not isinstance(moment, dt.datetime):
        return dt.datetime.combine(moment, dt.time())
    if moment.tzinfo is None:
        return moment
    return time_zones.to_wall(moment, place)
