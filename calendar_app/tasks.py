"""The tasks by the names that they had before 0.1, which queues may still hold. To go with 0.2."""

from .services.images import fetch_image
from .services.posts import publish_when_due

__all__ = ["fetch_image", "publish_when_due"]
