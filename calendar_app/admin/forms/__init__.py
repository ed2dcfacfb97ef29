"""The forms of the admin: what the API refuses is refused here, beside the field it is about."""

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
