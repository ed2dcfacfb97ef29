"""The JSON of each record in responses: plain functions from a record to a dict.

They take a fraction of the time of REST framework's serializers, which look up and convert every
field of every record by itself. ``load`` fetches all they read, with the same number of queries for
fifty records as for one.
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
