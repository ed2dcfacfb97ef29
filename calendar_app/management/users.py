"""The users as whom commands act."""

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError
from django.db.models import Q

from .. import permissions
from ..models import Event


def user_by_email(email):
    """Return the user with an e-mail address or user name. Raises CommandError."""
    users = get_user_model().objects.filter(Q(email__iexact=email) | Q(username=email))
    if not (user := users.order_by("pk").first()):
        raise CommandError(f"No user has the e-mail address or user name '{email}'.")
    return user


def editor(email=None):
    """Return the user to import as: the one with this e-mail address, or the first superuser.

    Raises CommandError unless that user may edit and publish all events.
    """
    if email:
        user = user_by_email(email)
    else:
        users = get_user_model().objects.filter(is_superuser=True, is_active=True)
        user = users.order_by("pk").first()
    if user is None:
        raise CommandError("There is no superuser; use --user to name the editor to import as.")
    if not (permissions.may_edit_others(user, Event) and permissions.may_publish(user, Event)):
        raise CommandError(f"The user '{user}' is not an editor and may not import events.")
    return user
