from django.apps import AppConfig


class CalendarConfig(AppConfig):
    name = "calendar_app"
    verbose_name = "Event calendar"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        from . import checks, signals  # noqa: F401

        signals.connect(self)
