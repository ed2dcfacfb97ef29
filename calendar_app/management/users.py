"""The users whom commands name by e-mail address."""

from django.contrib.auth import get_user_model
from django.core.management.base import CommandError
from django.db.models import Q


def user_by_email(email):
    """Return the user with an e-mail address or user name. Raises CommandError."""
    users = get_user_model().objects.filter(Q(email__iexact=email) | Q(username=email))
    if not (user := users.order_by("pk").first()):
        raise CommandError(f"No user has the e-mail address or user name '{email}'.")
    return user
