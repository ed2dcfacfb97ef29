"""Imports the events of an iCalendar file."""

import datetime as dt
import time
from functools import cache

from django.utils import timezone

from ..api.serializers import EventSerializer, OrganizerSerializer, VenueSerializer
from ..api.serializers.fields import is_web_address
from ..ical.reader import CalendarFile, ReadError
from ..ical.recurrence import Series
from ..ical.vevent import Entry
from ..ical.writer import location
from ..models import Event, Venue
from ..services.series import adopt
from ..values import names, time_zones
from .known_events import KnownEvents
from .writer import Importer, RejectedError, Source, status_for

MAX_NAME = 255


def store(
    reading: CalendarFile,
    target: "CalendarImport",
    *,
    days: int,
    dry_run: bool = False,
    show=lambda done, total: None,
):
    """Store the events of a file in target, those that repeat up to so many days ahead.

    What is skipped is among the problems of the importer's outcome. ``show`` is called after each
    event with how many are done, and how many there are. Raises ReadError.
    """
    with target.importer.running(dry_run=dry_run):
        series = reading.series(timezone.now(), dt.timedelta(days=days))
        known = KnownEvents(reading.groups)
        for done, found in enumerate(series, start=1):
            target.store(found, known.of(found.uid))
            show(done, len(reading.groups))
        target.finish(reading)
    target.importer.outcome.problems[:0] = reading.problems


def within(seconds: float, on_excess: str):
    """Return a function for ``show`` that raises ReadError once so many seconds are over."""
    deadline = time.monotonic() + seconds

    def show(done, total):
        if done < total and time.monotonic() > deadline:
            raise ReadError(f"Only {done} of {total} events were read in {seconds} s; {on_excess}")

    return show


class CalendarImport:
    """Stores the events of a file through importer, new ones with this status.

    Each occurrence of a series becomes an event; the first one stored is the parent of the others.
    """

    def __init__(self, importer: Importer, status: str):
        self.importer, self.status = importer, status
        self.venue = cache(self._venue)
        self.organizer = cache(self._organizer)

    def refusal(self, known) -> str:
        """Return why the known events of a UID may not be changed; "" if they may."""
        return ""

    def finish(self, reading: CalendarFile):
        """Do what follows once all events of a file are stored."""

    def store(self, series: Series, known: dict[str, Event]):
        """Store the events of a UID, for which these are known."""
        self.importer.expect(known.values())
        if why := self.refusal(known):
            self.importer.outcome.problems.append(f"UID {series.uid[:80]} was skipped: {why}")
            return
        stored = {}
        parent = _parent(known) if series.repeats else None
        for entry in series.entries:
            if entry.is_cancelled:
                self.importer.trash(Event, entry.source_id)
                continue
            pk = stored[entry.source_id] = self._store(entry, parent)
            parent = parent or (pk if series.repeats else None)
        wanted = {entry.source_id for entry in series.entries}
        for source_id, event in known.items():
            if source_id not in wanted and _covers(series, event):
                self.importer.trash(Event, source_id)
        if series.rule:
            _keep_rule(series, stored, known)

    def _store(self, entry, parent):
        """Return the ID of the event of an entry; None if it is rejected."""
        label = f"Event '{entry.title[:80]}' ({entry.source_id[:80]})"

        def build(known):
            data = self._data(entry, label) | status_for(known, self.status)
            is_alone = parent is None or (known and known.pk == parent)
            return data if is_alone else data | {"post_parent": parent}

        try:
            return self.importer.store(
                EventSerializer, Source(entry.source_id, entry.version), build
            )
        except RejectedError as e:
            self.importer.outcome.problems.append(f"{label} was skipped: {e}")
            return None

    def _data(self, entry: Entry, label):
        """Return an entry as the body of a request to the API."""
        data = {
            "title": entry.title,
            "description": entry.description,
            "start_date": _date(entry.start, entry.zone),
            "end_date": _date(entry.end, entry.zone),
            "timezone": entry.zone,
            "all_day": entry.all_day,
            "website": self._website(entry, label),
            "venue": self.venue(entry.location, entry.position),
            "organizer": self.organizer(entry.organizer, entry.email),
            # As objects, since a name may look like an ID.
            "categories": [{"name": name[:200]} for name in entry.categories],
        }
        if image := self.importer.image(entry.image, label):
            data["image"] = image
        return data

    def _website(self, entry, label):
        url = entry.website or entry.url
        # The URL of an event that was exported here is its page, not a website.
        if not url or (not entry.website and self.importer.context["urls"].is_event_page(url)):
            return ""
        if is_web_address(url):
            return url
        self.importer.outcome.problems.append(
            f"{label}: its URL '{url[:80]}' is not an http:// or https:// address and was skipped."
        )
        return ""

    def _venue(self, text, position):
        """Return the ID of the venue of a LOCATION, known or new, in a list."""
        if not text:
            return []
        if known := _venue_at(text):
            return [known.pk]
        data = {"venue": text[:MAX_NAME]}
        if position:
            data |= {"geo_lat": position[0], "geo_lng": position[1]}
        return [self.importer.make(VenueSerializer, data)]

    def _organizer(self, name, email):
        if not name:
            return []
        data = {"organizer": name[:MAX_NAME]}
        try:
            return [self.importer.make(OrganizerSerializer, {**data, "email": email})]
        except RejectedError:
            # Some programs write no e-mail address there; the name is still useful.
            return [self.importer.make(OrganizerSerializer, data)]


def _keep_rule(series, stored, known):
    """Keep the rule of a series whose occurrences were stored as the events with these IDs."""
    rule = series.rule
    ids = {source_id: pk for source_id, pk in stored.items() if pk and source_id in rule.days}
    days = {pk: rule.days[source_id] for source_id, pk in ids.items()}
    # One that was changed here stays an exception.
    changed = {source_id for source_id, event in known.items() if event.is_override}
    last = max(days.values(), default=rule.until)
    adopt(
        series.uid,
        rule.recurrence,
        rule.zone,
        all_day=rule.all_day,
        until=rule.until if len(series.entries) == len(rule.days) else last,
        days=days,
        overrides={pk for source_id, pk in ids.items() if source_id in rule.overrides | changed},
    )


def _date(wall, zone):
    """Return a time for the API; the second of two equal local times as an instant."""
    return (time_zones.to_utc(wall, time_zones.get(zone)) if wall.fold else wall).isoformat(" ")


def _parent(known):
    """Return the ID of the parent of the series of these events; None if there is none."""
    present = [e for e in known.values() if "/" in e.source_id and not e.is_trashed]
    ids = {event.pk for event in present}
    parents = [event.parent_id for event in present if event.parent_id in ids]
    return next(iter([*parents, *(event.pk for event in present)]), None)


def _covers(series, event):
    """Return whether the entries of series would include event if it still existed."""
    if event.is_trashed:
        return False
    return series.span is None or series.span[0] <= event.start_date <= series.span[1]


def _venue_at(text):
    """Return the venue whose name, or name and address in one line, equals text."""
    parts = text.split(", ")
    starts = [", ".join(parts[:end]) for end in range(1, min(len(parts), 10) + 1)]
    venues = names.matching(Venue.objects.untrashed(), starts).order_by("id")
    wanted = names.key(text)
    return next((v for v in venues if wanted in {names.key(v.name), names.key(location(v))}), None)
