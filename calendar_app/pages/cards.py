"""What lists show of events."""

from typing import NamedTuple

from .. import permissions
from ..api import representations
from ..api.representations.json_ld import text_of
from ..models import Event

SUMMARY = 220  # characters
READ = 4000  # characters of a text that are read for its summary


class Card(NamedTuple):
    """An event in a list, with the representation that the reader may see."""

    record: Event
    data: dict
    is_closed: bool

    @property
    def venues(self):
        return () if self.is_closed else self.record.linked.venues

    @property
    def picture(self):
        """The representation of the smallest copy that fills a card, or of the image itself."""
        image = self.data["image"] or {}
        return image.get("sizes", {}).get("medium") or image

    @property
    def summary(self):
        text = text_of((self.data["excerpt"] or self.data["description"])[:READ])
        return text if len(text) <= SUMMARY else f"{text[:SUMMARY].rsplit(' ', 1)[0]} …"


def cards(ids, urls, user):
    """Return the cards of the events with these IDs, in this order."""
    return [_card(event, urls, user) for event in representations.fetch(Event, ids, user)]


def _card(event, urls, user):
    is_closed = not permissions.may_see_details(user, event)
    return Card(event, representations.event(event, urls, redacted=is_closed), is_closed)
