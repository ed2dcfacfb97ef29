"""Who may do what. The one place where every door (API, admin, command) asks.

The groups of editors, authors and contributors hold these permissions (``services.groups``); a
project may give the same permissions to groups of its own.
"""

from django.contrib.auth.backends import ModelBackend

# Statuses that the public sees, now or later: only who may publish touches them.
PUBLIC_STATUSES = {"publish", "future", "private"}


def has(user, action, model):
    """Say whether user holds the permission ``<action>_<model>`` of the model's app."""
    meta = model._meta
    return user.has_perm(f"{meta.app_label}.{action}_{meta.model_name}")


def may_write(user, model):
    return has(user, "add", model)


def writers(model):
    """Return the users who may write records of model."""
    meta = model._meta
    return ModelBackend().with_perm(f"{meta.app_label}.add_{meta.model_name}")


def may_publish(user, model):
    return has(user, "publish", model)


def may_edit_others(user, model):
    return has(user, "edit_others", model)


def may_read(user, post):
    """Say whether user may read post while it is not in the trash."""
    return (
        post.status == "publish"
        or (_is_own(user, post) and may_write(user, type(post)))
        or may_edit_others(user, type(post))
    )


def may_see_details(user, event):
    """Say whether user needs no password to read a protected event."""
    return not event.password or _is_own(user, event) or may_edit_others(user, type(event))


def may_edit(user, post):
    return has(user, "change", type(post)) and _may_touch(user, post)


def may_delete(user, post):
    return has(user, "delete", type(post)) and _may_touch(user, post)


def _may_touch(user, post):
    if may_edit_others(user, type(post)):
        return True
    status = post.status_before_trash or post.status
    return _is_own(user, post) and (status not in PUBLIC_STATUSES or may_publish(user, type(post)))


def _is_own(user, post):
    return user.is_authenticated and post.author_id == user.pk
