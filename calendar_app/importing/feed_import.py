"""Reads a feed and stores its events, which other feeds do not change."""

from django.utils import timezone

from .. import permissions
from ..conf import conf
from ..ical.reader import CalendarFile, ReadError, read
from ..lib import fetch
from ..models import Event, Feed, FeedEvent, Organizer, Series
from .ics import CalendarImport, uids
from .writer import Importer

FETCH_SECONDS = 30
ELSEWHERE = "its event was imported from elsewhere, and the feed does not take over such events."


def fetched(feed: Feed, validators=None) -> fetch.Fetched:
    """Return what is at the address of a feed. Raises FetchError."""
    return fetch.fetch(
        feed.url,
        max_bytes=conf.ICAL_MAX_BYTES,
        seconds=min(FETCH_SECONDS, conf.FEED_SECONDS),
        networks=conf.feed_networks,
        validators=validators,
    )


def opened(feed: Feed, content: bytes, *, most_rows: int = 0) -> tuple[CalendarFile, "FeedImport"]:
    """Return what a feed has and where to store it. Raises ReadError."""
    if feed.owner is None or not feed.owner.is_active:
        raise ReadError("The feed has no owner with an active account.")
    if not permissions.may_import(feed.owner, Event):
        raise ReadError(f"Its owner, {feed.owner}, may not import events.")
    reading = read(content, conf.zone_name)
    return reading, FeedImport(feed, Importer(feed.owner, most_rows=most_rows))


class FeedImport(CalendarImport):
    """Stores the events of a feed through importer, and withdraws those that it no longer has."""

    def __init__(self, feed: Feed, importer: Importer):
        super().__init__(importer, feed.event_status)
        self.feed = feed
        self.own = set(feed.event_links.values_list("event_id", flat=True))
        self.categories = [{"id": pk} for pk in feed.categories.values_list("pk", flat=True)]
        known = Organizer.objects.untrashed().filter(pk=feed.organizer_id)
        self.organizers = list(known.values_list("pk", flat=True))

    def refusal(self, known):
        ids = {event.pk for event in known.values()}
        if ids <= self.own:
            return ""
        feeds = dict(FeedEvent.objects.filter(event__in=ids).values_list("feed_id", "feed__name"))
        is_own = feeds.pop(self.feed.pk, None) is not None
        if feeds:
            return f"its event belongs to the feed “{min(feeds.values())}”."
        return "" if is_own or self.feed.takes_over else ELSEWHERE

    def _store(self, entry, parent):
        pk = super()._store(entry, parent)
        if pk and pk not in self.own:
            self.own.add(pk)
            FeedEvent.objects.create(feed=self.feed, event_id=pk)
        return pk

    def _data(self, entry, label):
        data = super()._data(entry, label)
        data["categories"] += self.categories
        data["organizer"] = data["organizer"] or self.organizers
        return data

    def finish(self, reading):
        if self.feed.gone != Feed.Gone.TRASH:
            return
        coming = Event.objects.untrashed().filter(
            feed_link__feed=self.feed, start_utc__gt=timezone.now()
        )
        ids = coming.order_by("start_utc", "id").values_list("source_id", flat=True)
        gone = [source_id for source_id in ids if not uids(source_id) & reading.groups.keys()]
        if gone and not reading.groups:
            raise ReadError("The feed is empty: its events were kept, in case that is a mistake.")
        for source_id in gone:
            self.importer.trash(Event, source_id)
        # No more dates of a rule that is gone.
        ended = {uid for source_id in gone for uid in uids(source_id)}
        Series.objects.filter(uid__in=ended).update(extend_at=None)
