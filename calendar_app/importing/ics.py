"""Import of the events that an iCalendar file holds."""

import re
from functools import cache

from ..api.serializers import EventSerializer, OrganizerSerializer, VenueSerializer
from ..api.serializers.fields import is_web_address
from ..ical.recurrence import Series
from ..ical.vevent import Entry
from ..ical.writer import location
from ..models import Event, Venue
from ..values import names, time_zones
from .writer import Copier, RefusedError, Source

MAX_NAME = 255
RECURRENCE_ID = re.compile(r"\d{8}(T\d{6}Z?)?")


class CalendarImport:
    """Stores what the UIDs of a file stand for, through copier and with this status.

    Each occurrence of a series is an event; the first that was stored is the parent of the others.
    """

    def __init__(self, copier: Copier, status: str):
        self.copier, self.status = copier, status
        self.venue = cache(self._venue)
        self.organizer = cache(self._organizer)

    def store(self, series: Series):
        known = _known(series.uid)
        parent = _parent(known) if series.repeats else None
        for entry in series.entries:
            if entry.is_cancelled:
                self.copier.retire(Event, entry.source_id)
                continue
            pk = self._store(entry, parent)
            parent = parent or (pk if series.repeats else None)
        wanted = {entry.source_id for entry in series.entries}
        for source_id, event in known.items():
            if source_id not in wanted and _covers(series, event):
                self.copier.retire(Event, source_id)

    def _store(self, entry, parent):
        """Return the ID of the event of an entry; None when it is refused."""
        label = f"Event '{entry.title[:80]}' ({entry.source_id[:80]})"

        def build(known):
            return self._data(entry, label) | self._standing(known, parent)

        try:
            return self.copier.copy(EventSerializer, Source(entry.source_id, entry.version), build)
        except RefusedError as e:
            self.copier.outcome.problems.append(f"{label} was skipped: {e}")
            return None

    def _standing(self, known, parent):
        """Return status and parent: those of a new event, or of one that is there again."""
        standing = {}
        if known is None or known.is_trashed:
            standing["status"] = self.status
        if parent and not (known and known.pk == parent):
            standing["post_parent"] = parent
        return standing

    def _data(self, entry: Entry, label):
        """Return an entry in the form that the API's writes take."""
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
        if image := self.copier.image(entry.image, label):
            data["image"] = image
        return data

    def _website(self, entry, label):
        url = entry.website or entry.url
        # An event that was exported here has a page here as well.
        if not url or (not entry.website and self.copier.context["urls"].is_event_page(url)):
            return ""
        if is_web_address(url):
            return url
        self.copier.outcome.problems.append(
            f"{label}: its URL '{url[:80]}' is not an http:// or https:// address and was skipped."
        )
        return ""

    def _venue(self, text, position):
        """Return the venue of a LOCATION, as a list: a known one, or a new one of that name."""
        if not text:
            return []
        if known := _venue_at(text):
            return [known.pk]
        data = {"venue": text[:MAX_NAME]}
        if position:
            data |= {"geo_lat": position[0], "geo_lng": position[1]}
        return [self.copier.make(VenueSerializer, data)]

    def _organizer(self, name, email):
        if not name:
            return []
        data = {"organizer": name[:MAX_NAME]}
        try:
            return [self.copier.make(OrganizerSerializer, {**data, "email": email})]
        except RefusedError:
            # Programs put what is no address there: the name is worth keeping.
            return [self.copier.make(OrganizerSerializer, data)]


def _date(wall, zone):
    """Return a time as the API takes it: the second of its kind in a night by its instant."""
    return (time_zones.to_utc(wall, time_zones.get(zone)) if wall.fold else wall).isoformat(" ")


def _known(uid):
    """Return the events that stand for a UID so far, and for its occurrences, by source ID."""
    events = Event.objects.filter(source_id__startswith=uid).order_by("start_utc", "id")
    return {event.source_id: event for event in events if _stands_for(uid, event.source_id)}


def _stands_for(uid, source_id):
    return source_id == uid or bool(RECURRENCE_ID.fullmatch(source_id.removeprefix(f"{uid}/")))


def _parent(known):
    """Return the ID of the event that the series of these hangs from; None without any."""
    there = [e for e in known.values() if "/" in e.source_id and not e.is_trashed]
    ids = {event.pk for event in there}
    parents = [event.parent_id for event in there if event.parent_id in ids]
    return next(iter([*parents, *(event.pk for event in there)]), None)


def _covers(series, event):
    """Say whether event would be among the series' entries if it were still there."""
    if event.is_trashed:
        return False
    return series.span is None or series.span[0] <= event.start_date <= series.span[1]


def _venue_at(text):
    """Return the venue whose name, or whose name and address in one line, a text is."""
    parts = text.split(", ")
    starts = [", ".join(parts[:end]) for end in range(1, min(len(parts), 10) + 1)]
    venues = names.matching(Venue.objects.untrashed(), starts).order_by("id")
    wanted = names.key(text)
    return next((v for v in venues if wanted in {names.key(v.name), names.key(location(v))}), None)
