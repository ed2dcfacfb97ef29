"""Connects what follows each save and deletion, at whichever door; once all models are loaded."""

from django.apps import AppConfig
from django.db.models.signals import (
    m2m_changed,
    post_delete,
    post_migrate,
    post_save,
    pre_delete,
    pre_save,
)

from .conf import conf
from .models import (
    Category,
    Change,
    Event,
    Feed,
    FeedEvent,
    IdempotencyKey,
    Image,
    Organizer,
    RoleGroup,
    Tag,
    Venue,
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
from .services.history import lost_links, stored
from .webhooks import changes

# What readers of the calendar never see.
HIDDEN = {
    *(Change, Feed, Feed.categories.through, FeedEvent, IdempotencyKey, RoleGroup),
    *(Webhook, WebhookDelivery, WrongPassword),
}


def connect(app: AppConfig):
    """Connect all receivers of the app."""
    for model in {*app.get_models(include_auto_created=True)} - HIDDEN:
        for signal in (post_save, post_delete, m2m_changed):
            signal.connect(revision.increment_on_change, sender=model)
    _connect_history()
    _connect_posts()
    _connect_webhooks()
    post_delete.connect(images.remove_files, sender=Image)
    post_migrate.connect(groups.make_groups, sender=app)
    post_migrate.connect(search_index.make_index, sender=app)


def _connect_history():
    for model in stored.FIELDS:
        pre_save.connect(stored.before_save, sender=model)
        post_save.connect(history.after_save, sender=model)
        post_delete.connect(history.after_delete, sender=model)
    for model in (Venue, Organizer, Category, Tag, Image):
        pre_delete.connect(lost_links.before_delete, sender=model)


def _connect_posts():
    for model in (Event, Venue, Organizer):
        post_save.connect(tombstones.after_save, sender=model)
        post_save.connect(posts.mark_fixture_changed, sender=model)
        post_delete.connect(tombstones.after_delete, sender=model)
    post_save.connect(counts.after_save, sender=Event)
    pre_delete.connect(counts.before_delete, sender=Event)
    pre_delete.connect(posts.clear_author, sender=conf.user_model)


def _connect_webhooks():
    post_save.connect(changes.after_save, sender=Event)
    post_delete.connect(changes.after_delete, sender=Event)
    revision.ending.connect(changes.announce)
    post_save.connect(changes.note_webhooks, sender=Webhook)
    post_delete.connect(changes.note_webhooks, sender=Webhook)
