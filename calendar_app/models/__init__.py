"""The calendar's tables; each module knows its own fields, constraints and querysets."""

from .change import Change
from .event import Event, EventOrganizer, EventVenue
from .feed import Feed, FeedEvent
from .idempotency_key import IdempotencyKey
from .image import Image
from .organizer import Organizer
from .post import Post, Status
from .revision import Revision
from .role_group import RoleGroup
from .series import Series
from .term import Category, Tag, Term
from .tombstone import Tombstone
from .venue import Venue
from .webhook import Webhook, WebhookDelivery
from .wrong_password import WrongPassword

__all__ = [
    "Category",
    "Change",
    "Event",
    "EventOrganizer",
    "EventVenue",
    "Feed",
    "FeedEvent",
    "IdempotencyKey",
    "Image",
    "Organizer",
    "Post",
    "Revision",
    "RoleGroup",
    "Series",
    "Status",
    "Tag",
    "Term",
    "Tombstone",
    "Venue",
    "Webhook",
    "WebhookDelivery",
    "WrongPassword",
]
