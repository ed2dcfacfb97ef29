"""Reads what is at the address of a feed, a calendar file or a service, and stores its events."""

import datetime as dt
from hashlib import sha256
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from django.utils import timezone

from .. import permissions
from ..conf import conf
from ..ical.reader import CalendarFile, ReadError, read
from ..lib import fetch
from ..lib.fetch import UnmodifiedError
from ..models import Event, Feed
from .feed_events import FeedEvents
from .ics import CalendarImport, store
from .known_events import uids
from .remote_calendar import Service, ServiceError, as_json
from .rest import ServiceImport
from .writer import Importer, Source, status_for

FETCH_SECONDS = 30
DAY = dt.timedelta(days=1)
# What a service may say of an event; the rest, such as its status, is for this site to decide.
FIELDS = {
    *("title", "description", "excerpt", "slug", "start_date", "end_date", "all_day", "timezone"),
    *("cost", "website", "image", "show_map", "show_map_link", "custom_fields"),
    *("categories", "tags", "venue", "organizer"),
}


class Content(NamedTuple):
    """What is at the address of a feed, and what tells whether it is another the next time."""

    body: Any
    validators: dict[str, str]


def fetched(feed: Feed, validators=None, *, seconds: float = FETCH_SECONDS) -> Content:
    """Return what is at the address of a feed. Raises FetchError or ReadError."""
    seconds = min(seconds, conf.FEED_SECONDS)
    if feed.kind == Feed.Kind.SERVICE:
        return _read_service(feed, validators, seconds)
    found = fetch.fetch(
        feed.url,
        max_bytes=conf.ICAL_MAX_BYTES,
        seconds=min(seconds, FETCH_SECONDS),
        networks=conf.feed_networks,
        validators=validators,
    )
    return Content(found.body, dict(found.validators))


def _read_service(feed, validators, seconds):
    """Return the service and its events from yesterday on, at whatever zone it reckons days."""
    service = Service(feed.url)
    service.restrict(networks=conf.feed_networks, seconds=seconds, max_bytes=conf.ICAL_MAX_BYTES)
    start = f"{timezone.now() - DAY:%Y-%m-%d}"
    params = {"start_date": start, "end_date": "9999-12-31", "status": "publish"}
    try:
        records = [each for page in service.pages("events", params) for each in page.records]
    except ServiceError as e:
        raise ReadError(str(e)) from e
    known = {"content": sha256(as_json(records) or start.encode()).hexdigest()}
    if validators == known:
        raise UnmodifiedError("The service has the same events as before.")
    return Content((service, records), known)


def opened(feed: Feed, body: Any, *, most_rows: int = 0) -> "FileFeedImport | ServiceFeedImport":
    """Return the import of what a feed has, which ``run`` stores. Raises ReadError."""
    if feed.owner is None or not feed.owner.is_active:
        raise ReadError("The feed has no owner with an active account.")
    if not permissions.may_import(feed.owner, Event):
        raise ReadError(f"Its owner, {feed.owner}, may not import events.")
    importer = Importer(feed.owner, most_rows=most_rows)
    if feed.kind == Feed.Kind.SERVICE:
        return ServiceFeedImport(feed, importer, *body)
    return FileFeedImport(feed, importer, read(body, conf.zone_name))


class FileFeedImport(CalendarImport):
    """Stores the events of a calendar file, and withdraws those that it no longer has."""

    def __init__(self, feed: Feed, importer: Importer, reading: CalendarFile):
        super().__init__(importer, feed.event_status)
        self.events, self.reading = FeedEvents(feed), reading

    def run(self, *, show, dry_run: bool = False):
        """Store all events, and call ``show`` as ``ics.store`` does. Raises ReadError."""
        store(self.reading, self, days=conf.ICAL_HORIZON_DAYS, dry_run=dry_run, show=show)

    def refusal(self, known):
        return self.events.refusal(known.values())

    def _store(self, entry, parent):
        pk = super()._store(entry, parent)
        self.events.take(pk)
        return pk

    def _data(self, entry, label):
        return self.events.completed(super()._data(entry, label))

    def finish(self, reading):
        def is_there(source_id):
            return bool(uids(source_id) & reading.groups.keys())

        self.events.withdraw(self.importer, is_there, is_empty=not reading.groups)


class ServiceFeedImport(ServiceImport):
    """Stores the events of a service, and withdraws those that it no longer has."""

    def __init__(self, feed: Feed, importer: Importer, service: Service, records: list):
        super().__init__(service, importer)
        self.feed, self.events, self.records = feed, FeedEvents(feed), records
        self.read_categories()

    def run(self, *, show, dry_run: bool = False):
        """Store all events, and call ``show`` as ``ics.store`` does. Raises ReadError."""
        with self.importer.running(dry_run=dry_run):
            for done, pk in enumerate(self.store_each(self.records), start=1):
                self.events.take(pk)
                show(done, len(self.records))
            there = {*self.source_ids.values()}
            self.events.withdraw(self.importer, there.__contains__, is_empty=not self.records)

    def refusal(self, source):
        known = self.importer.known(Event, source.id)
        return self.events.refusal([known] if known else [])

    def _source(self, record):
        """Return the source of a record, of this host: it may not speak for others."""
        source, host = super()._source(record), urlsplit(self.service.base).hostname
        if source.id.partition("?")[0].partition("/")[0] == host:
            return source
        return Source(f"{host}?id={record['id']}", source.version, source.lineage)

    def _event(self, record, label):
        data = super()._event(record, label)
        return self.events.completed({name: data[name] for name in FIELDS & data.keys()})

    def decided(self, known):
        return status_for(known, self.feed.event_status)
