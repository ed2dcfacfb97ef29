"""What the API says of each record: plain functions from a record to a dict, keys in their order.

They read only what ``load`` has loaded, in as many queries for fifty records as for one.
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
