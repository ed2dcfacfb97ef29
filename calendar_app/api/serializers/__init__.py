"""Validate what clients write about each resource, and store it.

``is_valid`` checks the input by itself. ``save`` looks up the records that it names, behind the
lock of all writers, checks the whole and calls one verb of the services. It may raise a
ValidationError too, and then nothing is stored.
"""

from .event import EventSerializer
from .image import ImageSerializer
from .organizer import OrganizerSerializer
from .term import CategorySerializer, TagSerializer
from .venue import VenueSerializer

__all__ = [
    "CategorySerializer",
    "EventSerializer",
    "ImageSerializer",
    "OrganizerSerializer",
    "TagSerializer",
    "VenueSerializer",
]
