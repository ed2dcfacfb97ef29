"""Reads what clients write about each resource, and stores it.

``is_valid`` judges the input by itself. ``save`` looks up what the input names and what it changes
behind the lock of all writers; it raises a ValidationError as well, and then nothing is stored.
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
