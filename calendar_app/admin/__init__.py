"""The calendar's admin: a module per model; post.py is shared by events, venues, organizers."""

from . import event, image, organizer, term, venue

__all__ = ["event", "image", "organizer", "term", "venue"]
