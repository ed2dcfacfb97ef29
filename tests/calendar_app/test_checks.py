"""What ``manage.py check`` finds wrong with the settings and the project."""

import pytest
from django.conf import settings
from django.contrib.auth.models import Group
from django.core.management import call_command
from django.core.management.base import SystemCheckError
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import modify_settings, override_settings

from calendar_app import checks
from calendar_app.models import RoleGroup

TASKS = {"default": {"BACKEND": "django_tasks.backends.immediate.ImmediateBackend"}}
NO_TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates"}]


def found(**changed):
    """Return the ID of each error that these settings give."""
    with override_settings(**changed):
        errors = [*checks.check_settings(), *checks.check_project()]
    assert all(error.hint for error in errors)
    return [error.id.removeprefix("calendar_app.") for error in errors]


def test_the_settings_of_this_project_are_right():
    assert found() == []


@pytest.mark.parametrize(
    ("name", "value", "identity"),
    [
        ("PER_PAGE", 0, "E001"),
        ("PER_PAGE", "10", "E001"),
        ("CACHE_SECONDS", -1, "E001"),
        ("TIME_ZONE", "Europe/Nowhere", "E002"),
        ("BASE_URL", "example.org", "E003"),
        ("CURRENCY_POSITION", "before", "E004"),
        ("EDITOR_GROUP", "", "E005"),
        ("CLIENT_ADDRESS", "calendar_app.nothing", "E012"),
        ("WEBHOOK_NETWORKS", "10.0.0.1/8", "E014"),
        ("FEED_NETWORKS", "example.org", "E015"),
        ("CLIENT_ADDRESS", "calendar_app.conf.DEFAULTS", "E012"),
    ],
)
def test_a_wrong_value_is_an_error(name, value, identity):
    assert found(**{f"CALENDAR_{name}": value}) == [identity]


def test_two_roles_cannot_have_one_group():
    assert found(CALENDAR_EDITOR_GROUP="Staff", CALENDAR_AUTHOR_GROUP="Staff") == ["E005", "E005"]


@pytest.mark.parametrize(
    ("name", "value", "identity"),
    [
        ("USE_TZ", False, "E006"),
        ("TASKS", TASKS, "E007"),
        (
            "REST_FRAMEWORK",
            {"DEFAULT_SCHEMA_CLASS": "rest_framework.schemas.openapi.AutoSchema"},
            "E008",
        ),
        ("TEMPLATES", NO_TEMPLATES, "E010"),
    ],
)
def test_what_requests_need_is_missed(name, value, identity):
    assert found(**{name: value}) == [identity]


def test_without_sessions_and_logins_pages_are_missing_both():
    needed = {"SessionMiddleware", "AuthenticationMiddleware"}
    rest = [path for path in settings.MIDDLEWARE if path.rpartition(".")[2] not in needed]

    assert found(MIDDLEWARE=rest) == ["E009", "E009"]


@modify_settings(INSTALLED_APPS={"remove": "django.contrib.sessions"})
def test_sessions_without_a_table_are_missed():
    assert found() == ["E013"]


def test_a_project_without_the_pages_needs_nothing_for_them():
    assert found(ROOT_URLCONF="calendar_app.urls", MIDDLEWARE=[], TEMPLATES=NO_TEMPLATES) == []


@modify_settings(INSTALLED_APPS={"remove": "django_tasks_db"})
def test_a_queue_without_its_tables_is_missed():
    assert found() == ["E007"]


@pytest.mark.django_db
class TestDatabase:
    def test_it_is_right(self):
        assert checks.check_migrations(["default"]) == checks.check_groups(["default"]) == []

    def test_some_of_the_old_migrations_are_too_few(self):
        old = MigrationRecorder(connection).migration_qs.filter(app="calendar_app")
        old.filter(name="0011_tombstones_of_trash").delete()

        with pytest.raises(SystemCheckError) as refused:
            call_command("migrate", verbosity=0, skip_checks=False)

        assert "lacks the migration calendar_app.0011_tombstones_of_trash." in str(refused.value)
        assert "Run 'migrate' with the last version before 0.1.0" in str(refused.value)

    def test_a_group_of_somebody_else_is_told(self):
        RoleGroup.objects.filter(role="Editor").delete()

        [warning] = checks.check_groups(["default"])

        assert warning.id == "calendar_app.W001"
        assert warning.msg.startswith("The calendar did not create the group 'Editor'.")
        assert warning.hint == "Set CALENDAR_EDITOR_GROUP to a free name and run 'migrate'."

    def test_before_its_migration_a_role_has_no_group(self):
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {RoleGroup._meta.db_table} RENAME TO elsewhere")

        assert checks.check_groups(["default"]) == []

    def test_without_the_database_no_group_is_looked_up(self, django_assert_num_queries):
        with django_assert_num_queries(0):
            assert checks.check_groups() == []

    def test_a_free_name_is_no_warning(self):
        RoleGroup.objects.filter(role="Editor").delete()
        Group.objects.filter(name="Editor").delete()

        assert checks.check_groups(["default"]) == []


@pytest.mark.parametrize(
    ("mode", "is_told"), [(None, True), ("DEFERRED", True), ("IMMEDIATE", False)]
)
def test_sqlite_that_locks_late_is_told(monkeypatch, mode, is_told):
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "transaction_mode", mode)
    monkeypatch.setattr(connection, "vendor", "sqlite")

    found = checks.check_sqlite()

    assert [warning.id for warning in found] == ["calendar_app.W002"] * is_told
