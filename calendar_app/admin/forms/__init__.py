"""The admin's forms, which reject what the API rejects, with the error at its field."""

from .event import EventForm
from .image import ImageForm
from .post import OrganizerForm, PostForm, VenueForm
from .term import CategoryForm, TagForm

__all__ = [
    "CategoryForm",
    "EventForm",
    "ImageForm",
    "OrganizerForm",
    "PostForm",
    "TagForm",
    "VenueForm",
]
