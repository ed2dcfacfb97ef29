"""The query parameters of each list, as django-filter filtersets."""

from .event import EventFilterSet
from .linked import OrganizerFilterSet, VenueFilterSet
from .term import CategoryFilterSet, TagFilterSet

__all__ = [
    "CategoryFilterSet",
    "EventFilterSet",
    "OrganizerFilterSet",
    "TagFilterSet",
    "VenueFilterSet",
]
