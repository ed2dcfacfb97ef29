"""Who may do what. The API, the admin and the commands all ask here and nowhere else.

The groups of editors, authors and contributors hold these permissions (``services.groups``); a
project may give the same permissions to groups of its own.
"""

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db.models import Model, QuerySet

User = AbstractUser | AnonymousUser

# Statuses that the public sees, now or later: only those who may publish may set or change them.
PUBLIC_STATUSES = {"publish", "future", "private"}


def has(user: User, action: str, model: type[Model]) -> bool:
    """Return whether user holds the permission ``<action>_<model>`` of the model's app."""
    meta = model._meta
    return user.has_perm(f"{meta.app_label}.{action}_{meta.model_name}")


def may_write(user: User, model: type[Model]) -> bool:
    return has(user, "add", model)


def writers(model: type[Model]) -> QuerySet[AbstractUser]:
    """Return the users who may write records of model."""
    meta = model._meta
    return ModelBackend().with_perm(f"{meta.app_label}.add_{meta.model_name}")


def may_publish(user: User, model: type[Model]) -> bool:
    return has(user, "publish", model)


def may_edit_others(user: User, model: type[Model]) -> bool:
    return has(user, "edit_others", model)


def may_import(user: User, model: type[Model]) -> bool:
    """Return whether user may import records of model, which may change those of others."""
    return may_edit_others(user, model) and may_publish(user, model)


def may_read(user: User, post) -> bool:
    """Return whether user may read post while it is not in the trash."""
    return (
        post.status == "publish"
        or (_is_own(user, post) and may_write(user, type(post)))
        or may_edit_others(user, type(post))
    )


def may_see_details(user: User, event) -> bool:
    """Return whether user may read a protected event without its password."""
    return not event.password or _is_own(user, event) or may_edit_others(user, type(event))


def may_edit(user: User, post) -> bool:
    return has(user, "change", type(post)) and _may_touch(user, post)


def may_delete(user: User, post) -> bool:
    return has(user, "delete", type(post)) and _may_touch(user, post)


def _may_touch(user, post):
    if may_edit_others(user, type(post)):
        return True
    status = post.status_before_trash or post.status
    return _is_own(user, post) and (status not in PUBLIC_STATUSES or may_publish(user, type(post)))


def _is_own(user, post):
    return user.is_authenticated and post.author_id == user.pk
