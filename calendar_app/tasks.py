"""The tasks at their paths before 0.1, which queues may still contain. To be removed in 0.2."""

from .services.images import fetch_image
from .services.posts import publish_when_due

__all__ = ["fetch_image", "publish_when_due"]
