"""The tasks by the names that they had before 0.1, which queues may still hold. To go with 0.2."""

from .services.tasks import fetch_image, publish_when_due

__all__ = ["fetch_image", "publish_when_due"]
