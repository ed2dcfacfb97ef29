"""The groups of the calendar's three roles, which ``migrate`` makes."""

import logging
from typing import Any

from django.apps import AppConfig
from django.apps import apps as current_apps
from django.contrib.auth.management import create_permissions
from django.db import router, transaction

from ..conf import conf

OWN = ["add", "change", "delete", "view"]
POSTS = ["event", "venue", "organizer"]
TERMS = ["category", "tag"]
RIGHTS = {
    "Contributor": {**dict.fromkeys(POSTS, OWN), "image": ["add", "view"]},
    "Author": {
        **{model: [*OWN, "publish"] for model in POSTS},
        **{model: ["add", "view"] for model in TERMS},
        "image": ["add", "view"],
    },
    "Editor": {
        **{model: [*OWN, "publish", "edit_others"] for model in POSTS},
        **dict.fromkeys([*TERMS, "image", "feed"], OWN),
    },
}

logger = logging.getLogger(__name__)


def make_groups(sender: AppConfig, *, using: str, apps: Any = current_apps, **kwargs: Any) -> None:
    """Make the group of each role that never had one. Called after migrations.

    A group that has the name already belongs to the project, and stays as it is.
    """
    try:
        role_group = apps.get_model("calendar_app", "RoleGroup")
    except LookupError:
        return  # a later migration creates its table
    if not router.allow_migrate_model(using, role_group):
        return
    # Whether Django's own handler has run by now depends on the order of INSTALLED_APPS.
    create_permissions(sender, verbosity=0, using=using, apps=apps)
    made = role_group.objects.using(using).values_list("role", flat=True)
    for role in RIGHTS.keys() - set(made):
        with transaction.atomic(using=using):
            _make_group(role, using, apps)


def _make_group(role: str, using: str, apps: Any) -> None:
    groups = apps.get_model("auth", "Group").objects.using(using)
    group, is_new = groups.get_or_create(name=conf.group_names[role])
    if not is_new:
        logger.warning("%s", taken(role))
        return
    codenames = [f"{verb}_{model}" for model, verbs in RIGHTS[role].items() for verb in verbs]
    permissions = apps.get_model("auth", "Permission").objects.using(using)
    group.permissions.set(
        permissions.filter(content_type__app_label="calendar_app", codename__in=codenames)
    )
    apps.get_model("calendar_app", "RoleGroup").objects.using(using).create(role=role, group=group)


def taken(role: str) -> str:
    """Return the sentence for a role whose group has a name that another group has already."""
    return (
        f"The calendar did not create the group '{conf.group_names[role]}'. It gets no "
        f"rights, so the calendar's {role.lower()}s have no group."
    )
