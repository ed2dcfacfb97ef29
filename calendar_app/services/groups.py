"""The groups of the calendar's three roles, which ``migrate`` makes and an upgrade completes."""

import logging
from typing import Any

from django.apps import AppConfig
from django.apps import apps as current_apps
from django.contrib.auth.management import create_permissions
from django.core.exceptions import FieldDoesNotExist
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

    A group that has the name already belongs to the project, and stays as it is. One that was made
    before gets the permissions that are new in this version, and none again that was taken away.
    """
    try:
        role_group = apps.get_model("calendar_app", "RoleGroup")
        role_group._meta.get_field("granted")
    except (LookupError, FieldDoesNotExist):
        return  # a later migration creates it
    if not router.allow_migrate_model(using, role_group):
        return
    # Whether Django's own handler has run by now depends on the order of INSTALLED_APPS.
    create_permissions(sender, verbosity=0, using=using, apps=apps)
    made = {each.role: each for each in role_group.objects.using(using).select_related("group")}
    for role in RIGHTS:
        with transaction.atomic(using=using):
            found = made.get(role) or _make_group(role, using, apps)
            if found and found.group:
                _grant(found, apps.get_model("auth", "Permission").objects.using(using))


def _make_group(role: str, using: str, apps: Any) -> Any:
    """Return the new group of a role, without permissions; None if its name is taken."""
    groups = apps.get_model("auth", "Group").objects.using(using)
    group, is_new = groups.get_or_create(name=conf.group_names[role])
    if not is_new:
        logger.warning("%s", taken(role))
        return None
    role_groups = apps.get_model("calendar_app", "RoleGroup").objects.using(using)
    return role_groups.create(role=role, group=group)


def _grant(role_group: Any, permissions: Any) -> None:
    """Give the group of a role the permissions that it was not given before."""
    rights = RIGHTS[role_group.role].items()
    codenames = {f"{verb}_{model}" for model, verbs in rights for verb in verbs}
    if new := codenames - {*role_group.granted}:
        ours = permissions.filter(content_type__app_label="calendar_app", codename__in=new)
        role_group.group.permissions.add(*ours)
        role_group.granted = sorted(codenames | {*role_group.granted})
        role_group.save(update_fields=["granted"])


def taken(role: str) -> str:
    """Return the sentence for a role whose group has a name that another group has already."""
    return (
        f"The calendar did not create the group '{conf.group_names[role]}'. It gets no "
        f"rights, so the calendar's {role.lower()}s have no group."
    )
