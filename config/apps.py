import logging

from django.apps import AppConfig
from django.conf import settings

logger = logging.getLogger(__name__)


class ProjectConfig(AppConfig):
    name = "config"
    verbose_name = "Operation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        from config.serving import wakeup  # noqa: F401 - connects its receiver

        if names := settings.IGNORED_VARIABLES:
            logger.warning(
                "These variables are not settings and are ignored: %s.", ", ".join(names)
            )
