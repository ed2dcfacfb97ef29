from django.apps import AppConfig
from django.db.models.signals import (
    m2m_changed,
    post_delete,
    post_migrate,
    post_save,
    pre_delete,
    pre_save,
)


class CalendarConfig(AppConfig):
    name = "calendar_app"
    verbose_name = "Event calendar"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        from . import checks  # noqa: F401
        from .conf import conf
        from .models import (
            Change,
            Feed,
            FeedEvent,
            IdempotencyKey,
            RoleGroup,
            Webhook,
            WebhookDelivery,
            WrongPassword,
        )
        from .services import (
            counts,
            groups,
            history,
            images,
            posts,
            revision,
            search_index,
            tombstones,
        )
        from .services.history import stored
        from .webhooks import changes

        hidden = {
            *(Change, Feed, Feed.categories.through, FeedEvent, IdempotencyKey, RoleGroup),
            *(Webhook, WebhookDelivery, WrongPassword),
        }
        shown = set(self.get_models(include_auto_created=True)) - hidden
        for model in shown:
            post_save.connect(revision.increment_on_change, sender=model)
            post_delete.connect(revision.increment_on_change, sender=model)
            m2m_changed.connect(revision.increment_on_change, sender=model)
        for model in stored.FIELDS:
            pre_save.connect(stored.before_save, sender=model)
            post_save.connect(history.after_save, sender=model)
            post_delete.connect(history.after_delete, sender=model)
        for model in map(self.get_model, ("event", "venue", "organizer")):
            post_save.connect(tombstones.after_save, sender=model)
            post_save.connect(posts.mark_fixture_changed, sender=model)
            post_delete.connect(tombstones.after_delete, sender=model)
        post_save.connect(counts.after_save, sender="calendar_app.Event")
        pre_delete.connect(counts.before_delete, sender="calendar_app.Event")
        post_save.connect(changes.after_save, sender="calendar_app.Event")
        post_delete.connect(changes.after_delete, sender="calendar_app.Event")
        revision.ending.connect(changes.announce)
        post_save.connect(changes.note_webhooks, sender=Webhook)
        post_delete.connect(changes.note_webhooks, sender=Webhook)
        pre_delete.connect(posts.clear_author, sender=conf.user_model)
        post_delete.connect(images.remove_files, sender="calendar_app.Image")
        post_migrate.connect(groups.make_groups, sender=self)
        post_migrate.connect(search_index.make_index, sender=self)
