from django.apps import AppConfig
from django.db.models.signals import m2m_changed, post_delete, post_save


class CalendarConfig(AppConfig):
    name = "calendar_app"
    verbose_name = "Event calendar"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        from . import checks, images, revision  # noqa: F401

        for model in self.get_models(include_auto_created=True):
            if model.__name__ == "Revision":
                continue
            post_save.connect(revision.bump_on_change, sender=model)
            post_delete.connect(revision.bump_on_change, sender=model)
            m2m_changed.connect(revision.bump_on_change, sender=model)
        post_delete.connect(images.remove_files, sender="calendar_app.Image")
