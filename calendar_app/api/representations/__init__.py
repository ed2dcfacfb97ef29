"""The JSON of each record in responses: plain functions from a record to a dict.

REST framework's ModelSerializer takes longer for an event's own columns alone than these functions
for the event with all its links. ``load`` fetches all they read, with the same number of queries
for fifty records as for one.
"""

from .event import event
from .image import image
from .loading import fetch, load
from .organizer import organizer
from .post import tombstone
from .term import category, embedded_term, tag
from .urls import Urls
from .venue import venue

__all__ = [
    "Urls",
    "category",
    "embedded_term",
    "event",
    "fetch",
    "image",
    "load",
    "organizer",
    "tag",
    "tombstone",
    "venue",
]
