"""The events of a feed: what becomes of them, and that no other feed changes them."""

from collections.abc import Callable, Iterable

from django.utils import timezone

from ..ical.reader import ReadError
from ..models import Event, Feed, FeedEvent, Organizer, Series
from .known_events import uids
from .writer import Importer

ELSEWHERE = "its event was imported from elsewhere, and the feed does not take over such events."


class FeedEvents:
    """The events that a feed has made or taken over."""

    def __init__(self, feed: Feed):
        self.feed = feed
        self.own = set(feed.event_links.values_list("event_id", flat=True))
        self.categories = [{"id": pk} for pk in feed.categories.values_list("pk", flat=True)]
        usable = Organizer.objects.visible_to(feed.owner).filter(pk=feed.organizer_id)
        self.organizers = list(usable.values_list("pk", flat=True))

    def refusal(self, events: Iterable[Event]) -> str:
        """Return why the feed may not change these events, which exist; "" if it may."""
        ids = {event.pk for event in events}
        if ids <= self.own:
            return ""
        feeds = dict(FeedEvent.objects.filter(event__in=ids).values_list("feed_id", "feed__name"))
        is_own = feeds.pop(self.feed.pk, None) is not None
        if feeds:
            return f"its event belongs to the feed “{min(feeds.values())}”."
        return "" if is_own or self.feed.takes_over else ELSEWHERE

    def take(self, pk: int | None):
        """Note that an event is the feed's from now on; None for one that was not stored."""
        if pk and pk not in self.own:
            self.own.add(pk)
            FeedEvent.objects.create(feed=self.feed, event_id=pk)

    def completed(self, data: dict) -> dict:
        """Return the data of an event with what the feed gives to all of its events."""
        categories = [*data["categories"], *self.categories]
        organizers = data["organizer"] or self.organizers
        return data | {"categories": categories, "organizer": organizers}

    def withdraw(self, importer: Importer, is_there: Callable[[str], bool], *, is_empty: bool):
        """Withdraw the coming events whose source IDs the feed no longer has, if it is set so.

        Raises ReadError if the feed is empty all at once.
        """
        if self.feed.gone != Feed.Gone.TRASH:
            return
        coming = Event.objects.untrashed().filter(
            feed_link__feed=self.feed, start_utc__gt=timezone.now()
        )
        ids = coming.order_by("start_utc", "id").values_list("source_id", flat=True)
        gone = [source_id for source_id in ids if not is_there(source_id)]
        if gone and is_empty:
            raise ReadError("The feed is empty: its events were kept, in case that is a mistake.")
        for source_id in gone:
            importer.trash(Event, source_id)
        # No more dates of a rule that is gone.
        ended = {uid for source_id in gone for uid in uids(source_id)}
        Series.objects.filter(uid__in=ended).update(extend_at=None)
