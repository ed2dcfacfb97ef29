"""The calendar in the admin: one file per resource, what the three posts share in post.py."""

from . import event, image, organizer, term, venue

__all__ = ["event", "image", "organizer", "term", "venue"]
