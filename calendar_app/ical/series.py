"""Writes a series as one recurring VEVENT, and one more for each date that differs (RFC 5545)."""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from types import SimpleNamespace

import icalendar
from django.db.models import Prefetch

from ..models import Event, Organizer, Series, Status, Venue
from ..values import time_zones
from ..values.recurrence import Recurrence, joined, split

# The events that everybody may see, beside those that the caller was given.
PUBLIC = {"status": Status.PUBLISH, "hide_from_listings": False}
COLUMNS = [
    *("series_id", "original_start", "start_date", "end_date", "start_utc", "timezone"),
    *("all_day", "is_override", "status", "password", "modified_utc"),
]


class Group:
    """A series with its events: those that were given, and its other public ones."""

    def __init__(self, series: Series, events: Sequence[Event]):
        self.series, self.zone, self._is_written = series, series.zone, False
        self.events = sorted(events, key=lambda event: (event.original_start, event.pk))
        # Of a series whose events are all in the trash there is none.
        self.template = next(filter(self.is_regular, self.events), next(iter(self.events), None))

    def is_regular(self, event: Event) -> bool:
        """Return whether event takes place when the rule says so, and was not changed alone."""
        day = event.original_start
        on_time = (
            event.start_date == day
            if event.all_day
            else event.start_utc == time_zones.to_utc(day, self.zone)
        )
        return on_time and not event.is_override and event.all_day == self.series.all_day

    def is_unwritten(self) -> bool:
        """Return whether this is asked for the first time."""
        before, self._is_written = self._is_written, True
        return not before

    def differs(self, event: Event) -> bool:
        """Return whether event is not as the rule and the template say."""
        first = self.template
        return (
            not self.is_regular(event)
            or event.status != first.status
            or bool(event.password) != bool(first.password)
            or event.end_date - event.start_date != first.end_date - first.start_date
        )

    def add_rule(self, entry: icalendar.Event) -> None:
        """Make entry, which is like the template, the recurring one."""
        series, length = self.series, self.template.end_date - self.template.start_date
        self.name(entry)
        for name in ("DTSTART", "DTEND"):
            entry.pop(name, None)
        entry.add("DTSTART", self.value(series.start))
        if series.all_day:
            entry.add("DTEND", (series.start + length).date() + dt.timedelta(days=1))
        elif length:
            entry.add("DTEND", self.value(series.start + length))
        if series.rrule:
            entry.add("RRULE", icalendar.vRecur.from_ical(self._rrule()))
        added, excluded = self._exceptions()
        for name, days in (("RDATE", added), ("EXDATE", excluded)):
            if days:
                entry.add(name, [self.value(day) for day in sorted(days)])
        changed = max(event.modified_utc for event in self.events)
        for name in ("DTSTAMP", "LAST-MODIFIED"):
            entry.pop(name, None)
            entry.add(name, changed)

    def name(self, entry: icalendar.Event, event: Event | None = None) -> None:
        """Give entry the UID of the series, and the RECURRENCE-ID of event."""
        entry.pop("UID", None)
        entry.add("UID", self.series.uid)
        if event is not None:
            entry.add("RECURRENCE-ID", self.value(event.original_start))

    def value(self, day: dt.datetime) -> dt.date:
        """Return a date of the series as iCalendar writes it."""
        return day.date() if self.series.all_day else day.replace(tzinfo=self.zone)

    def years(self) -> tuple[str, tuple[int, int]] | None:
        """Return the zone that its times are written in, and the years; None for UTC and days."""
        if self.series.all_day or self.series.timezone == "UTC":
            return None
        return self.series.timezone, (self.series.start.year, self.series.made_until.year)

    def _rrule(self) -> str:
        parts = split(self.series.rrule)
        if "UNTIL" in parts:
            until = dt.datetime.strptime(parts["UNTIL"], "%Y%m%dT%H%M%S")  # noqa: DTZ007
            instant = time_zones.to_utc(until, self.zone)
            parts["UNTIL"] = (
                f"{until:%Y%m%d}" if self.series.all_day else f"{instant:%Y%m%dT%H%M%SZ}"
            )
        return joined(parts)

    def _exceptions(self) -> tuple[set[dt.datetime], set[dt.datetime]]:
        """Return the dates beside those of the rule, and the ones that have no event here."""
        series, known = self.series, self.series.recurrence
        present = {event.original_start for event in self.events}
        ruled = {*Recurrence(known.start, known.rrule).dates(series.made_until)}
        later = {day for day in known.rdates if day > series.made_until}
        gone = {day for day in known.exdates if day > series.made_until}
        return (present - ruled) | later, (ruled - present) | gone


def groups(events: Sequence[Event]) -> dict[int, Group]:
    """Return the series of events by ID, in four queries more if there are any."""
    given = [event for event in events if event.series_id and event.original_start]
    ids = {event.series_id for event in given}
    if not ids:
        return {}
    series = Series.objects.in_bulk(ids)
    members: dict[int, dict[int, Event]] = defaultdict(dict)
    others = Event.objects.filter(series__in=ids, original_start__isnull=False, **PUBLIC)
    for event in [*others.only(*COLUMNS), *given]:
        if not event.is_trashed:
            members[event.series_id][event.pk] = event
    found = {pk: Group(each, [*members[pk].values()]) for pk, each in series.items()}
    _load([group for group in found.values() if group.template], {event.pk for event in given})
    return found


def _load(found: Sequence[Group], loaded: set[int]) -> None:
    """Load what is written in full and was not given."""
    needed = {event.pk for group in found for event in group.events if group.differs(event)}
    needed |= {group.template.pk for group in found}
    needed -= loaded
    if not needed:
        return
    shown = {"status": Status.PUBLISH}
    venues = Venue.objects.filter(**shown).order_by("event_links__position", "event_links__id")
    organizers = Organizer.objects.filter(**shown).order_by(
        "event_links__position", "event_links__id"
    )
    full = Event.objects.select_related("image").prefetch_related(
        "categories", Prefetch("venues", venues), Prefetch("organizers", organizers)
    )
    whole = {event.pk: event for event in full.filter(pk__in=needed)}
    for event in whole.values():
        event.linked = SimpleNamespace(
            venues=[*event.venues.all()],
            organizers=[*event.organizers.all()],
            categories=[*event.categories.all()],
        )
    for group in found:
        group.events = [whole.get(event.pk, event) for event in group.events]
        group.template = whole.get(group.template.pk, group.template)
