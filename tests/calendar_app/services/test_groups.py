"""The groups of the three roles are made once, and never out of somebody else's."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps as current_apps
from django.apps.registry import Apps
from django.contrib.auth.models import Group, Permission
from django.core.management import call_command
from django.db import connection
from django.test import override_settings

from calendar_app.models import RoleGroup
from calendar_app.services.groups import RIGHTS, make_groups

pytestmark = pytest.mark.django_db


@pytest.fixture
def new():
    """Make the database one in which no group was made yet."""
    Group.objects.all().delete()
    RoleGroup.objects.all().delete()


def migrate():
    call_command("migrate", verbosity=0)


def codenames(name):
    permissions = Group.objects.get(name=name).permissions
    return set(permissions.values_list("codename", flat=True))


@pytest.mark.parametrize("role", RIGHTS)
def test_a_role_has_a_group_with_its_rights(role):
    verbs = {f"{verb}_{model}" for model, verbs in RIGHTS[role].items() for verb in verbs}

    assert RoleGroup.objects.get(role=role).group.name == role
    assert codenames(role) == verbs


def test_a_group_that_was_there_before_gets_no_rights(new, caplog):
    Group.objects.create(name="Editor")

    migrate()

    assert codenames("Editor") == set()
    assert codenames("Author")
    assert "The calendar did not create the group 'Editor'." in caplog.text


def test_with_another_name_the_role_has_its_group_all_the_same(new):
    Group.objects.create(name="Editor")
    migrate()

    with override_settings(CALENDAR_EDITOR_GROUP="Calendar editor"):
        migrate()

    assert codenames("Editor") == set()
    assert "edit_others_event" in codenames("Calendar editor")


def test_a_group_that_took_the_name_of_a_renamed_one_gets_no_rights():
    Group.objects.filter(name="Editor").update(name="Redaktion")
    Group.objects.create(name="Editor")

    migrate()

    assert codenames("Editor") == set()
    assert "edit_others_event" in codenames("Redaktion")


def test_a_deleted_group_does_not_come_back():
    Group.objects.get(name="Author").delete()

    migrate()

    assert not Group.objects.filter(name="Author").exists()


def test_rights_that_were_taken_stay_taken():
    group = Group.objects.get(name="Editor")
    group.permissions.remove(Permission.objects.get(codename="delete_event"))

    migrate()

    assert "delete_event" not in codenames("Editor")


FEEDS = {"add_feed", "change_feed", "delete_feed", "view_feed"}


def test_a_group_of_an_earlier_version_gets_what_is_new_once_and_nothing_that_was_taken():
    editors, feeds = (
        Group.objects.get(name="Editor"),
        {*Permission.objects.filter(codename__in=FEEDS)},
    )
    editors.permissions.remove(*feeds, Permission.objects.get(codename="delete_event"))
    RoleGroup.objects.update(granted=[])
    migration = import_module("calendar_app.migrations.0013_role_group_granted")
    migration.note_rights(current_apps, SimpleNamespace(connection=connection))

    migrate()

    assert {*codenames("Editor")} >= FEEDS
    assert "delete_event" not in codenames("Editor")
    assert not {*codenames("Author")} & FEEDS
    editors.permissions.remove(*feeds)
    migrate()
    assert not {*codenames("Editor")} & FEEDS


def test_what_a_project_has_given_a_group_stays():
    own = Permission.objects.get(codename="add_webhook")
    Group.objects.get(name="Author").permissions.add(own)
    RoleGroup.objects.update(granted=[])

    migrate()

    assert "add_webhook" in codenames("Author")


def test_before_its_table_there_is_no_group(new):
    make_groups(current_apps.get_app_config("calendar_app"), using="default", apps=Apps())

    assert not Group.objects.exists()


class ElsewhereRouter:
    """Keeps the calendar out of a database."""

    def allow_migrate(self, db, app_label, **hints):
        return app_label != "calendar_app"


def test_a_database_that_is_not_the_calendars_gets_no_groups(new):
    with override_settings(DATABASE_ROUTERS=[f"{__name__}.ElsewhereRouter"]):
        make_groups(current_apps.get_app_config("calendar_app"), using="default")

    assert not Group.objects.exists()
