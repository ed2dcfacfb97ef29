"""The calendar's admin: a module per model; post.py is shared by events, venues, organizers."""

from . import (  # noqa: F401 - each registers what it shows
    change,
    event,
    feed,
    image,
    organizer,
    term,
    venue,
    webhook,
)
