"""What ``manage.py check`` finds wrong with the settings."""

from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import override_settings

from backup_app import checks
from backup_app.conf import conf
from backup_app.engines import get_engine, resuming_engines

from .support.answering_engine import NAME, AnsweringEngine


def found(**settings):
    """Return (id, message) of each error that these settings give."""
    with override_settings(**{f"BACKUP_{name}": value for name, value in settings.items()}):
        errors = [*checks.check_settings(), *checks.check_engines()]
    assert all(error.hint for error in errors)
    return [(error.id.removeprefix("backup_app."), error.msg) for error in errors]


def test_the_defaults_are_right():
    assert found() == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("LOCAL_ROOTS", "/srv, /home"),
        ("LOCAL_ROOTS", ["/srv"]),
        ("COMMANDS", ""),
        ("COMMANDS", ["ps -eo pid,comm"]),
        ("MAILBOX_PATTERNS", ""),
        ("ROOT", Path("/srv/backups")),
        ("PURGE_DAYS", 0),
        ("CLIENT_ADDRESS", "backup_app.accounts.callers.address_of"),
        ("WEBHOOK_NETWORKS", "10.0.0.0/8, ::1"),
        ("SITE_URL", "https://example.org/apps/"),
        ("ENGINES", {"default": {"BACKEND": NAME, "OPTIONS": {"windows": True}}}),
    ],
)
def test_other_values_may_be_right(name, value):
    assert found(**{name: value}) == []


@pytest.mark.parametrize(
    ("name", "value", "identity"),
    [
        ("PAGE_SIZE", 0, "E003"),
        ("PAGE_SIZE", "50", "E003"),
        ("PAGE_SIZE", True, "E003"),
        ("LOGIN_FAILURES", 0, "E003"),
        ("PURGE_DAYS", -1, "E003"),
        ("INSTALL_KEYS", "yes", "E004"),
        ("ROOT", "", "E005"),
        ("ROOT", None, "E005"),
        ("LOCAL_ROOTS", {"/srv": 1}, "E005"),
        ("COMMANDS", [["df", "-h"]], "E005"),
        ("LOCAL_ROOTS", "/srv,home", "E006"),
        ("MAILBOX_PATTERNS", "(", "E007"),
        ("MAILBOX_PATTERNS", r"\.pst$", "E007"),
        ("CLIENT_ADDRESS", "backup_app.accounts.callers.nobody", "E008"),
        ("CLIENT_ADDRESS", "backup_app.accounts.callers.conf", "E008"),
        ("QUEUE", "nobody", "E009"),
        ("WEBHOOK_NETWORKS", "10.0.0.1/8", "E015"),
        ("WEBHOOK_NETWORKS", "example.org", "E015"),
        ("SITE_URL", "example.org", "E016"),
        ("ENGINES", {}, "E001"),
        ("ENGINES", None, "E001"),
        ("ENGINES", {"other": {"BACKEND": NAME}}, "E001"),
        ("ENGINES", {"default": {}}, "E002"),
        ("ENGINES", {"default": {"BACKEND": "nothing.Engine"}}, "E002"),
        ("ENGINES", {"default": {"BACKEND": "backup_app.conf.Conf"}}, "E002"),
        ("ENGINES", {"default": {"BACKEND": NAME, "OPTIONS": {"speed": 1}}}, "E002"),
    ],
)
def test_what_cannot_work_is_found(name, value, identity):
    assert [each for each, _ in found(**{name: value})] == [identity]


def test_an_error_names_the_setting_and_its_value():
    assert found(PAGE_SIZE=-1) == [
        ("E003", "BACKUP_PAGE_SIZE is -1, which is not a whole number of 1 or more.")
    ]


@pytest.mark.parametrize(
    ("name", "limits"), [("compression", "1 to 19"), ("frame_bytes", "64 KiB to 64 MiB")]
)
def test_the_options_of_an_engine_are_checked_by_it(name, limits):
    engine = {"BACKEND": "backup_app.engines.archive.ArchiveEngine", "OPTIONS": {name: 99}}

    assert found(ENGINES={"default": engine}) == [("E002", f"{name} is 99, not from {limits}.")]


def test_an_engine_that_cannot_be_loaded_resumes_no_jobs(settings):
    settings.BACKUP_ENGINES = {"default": {"BACKEND": "nothing.Engine"}}

    assert resuming_engines() == []


def test_an_engine_knows_its_alias(settings):
    settings.BACKUP_ENGINES = {"north": {"BACKEND": NAME}}

    assert get_engine("north").alias == "north"


def test_a_list_of_folders_may_have_no_blanks(settings):
    settings.BACKUP_LOCAL_ROOTS = "/srv,/home, /opt"

    assert conf.local_roots == [Path("/srv"), Path("/home"), Path("/opt")]


def test_a_root_that_is_no_folder_is_found_with_the_database(tmp_path, settings):
    (tmp_path / "file").touch()
    settings.BACKUP_ROOT = str(tmp_path / "file" / "backups")

    assert [warning.id for warning in checks.check_folders(databases=["default"])] == [
        "backup_app.W001"
    ]
    assert checks.check_folders() == []
    settings.BACKUP_ROOT = str(tmp_path / "new" / "backups")
    assert checks.check_folders(databases=["default"]) == []


def test_limits_of_django_below_ours_are_found(settings):
    assert checks.check_upload_limits() == []
    settings.DATA_UPLOAD_MAX_NUMBER_FIELDS = 1000
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = None

    assert [warning.msg for warning in checks.check_upload_limits()] == [
        "DATA_UPLOAD_MAX_NUMBER_FIELDS is 1000: larger multipart forms are rejected."
    ]


class FaultyEngine(AnsweringEngine):
    def faults(self):
        return ["The program 'tar' is missing."]


def test_faults_of_engines_are_told_with_the_database(settings):
    settings.BACKUP_ENGINES = {
        "default": {"BACKEND": f"{__name__}.FaultyEngine"},
        "wrong": {"BACKEND": "nothing.Engine"},
    }

    [warning] = checks.check_what_engines_need(databases=["default"])

    assert (warning.id, warning.msg) == ("backup_app.W003", "The program 'tar' is missing.")
    assert warning.hint == "It concerns the engine 'default'."
    assert checks.check_what_engines_need() == []


@pytest.mark.django_db
def test_before_the_migrations_engines_have_no_faults():
    # As `migrate` asks, also when it is about to make the tables.
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE backup_app_client RENAME TO elsewhere")

    assert checks.check_what_engines_need(databases=["default"]) == []


@pytest.mark.parametrize(
    ("name", "value", "identity"),
    [
        ("USE_TZ", False, "E010"),
        (
            "TASKS",
            {"default": {"BACKEND": "django_tasks.backends.immediate.ImmediateBackend"}},
            "E011",
        ),
    ],
)
def test_what_jobs_need_is_missed(name, value, identity):
    with override_settings(**{name: value}):
        [error] = checks.check_project()

    assert (error.id, bool(error.hint)) == (f"backup_app.{identity}", True)


@pytest.mark.django_db
def test_some_of_the_old_migrations_are_too_few():
    assert checks.check_migrations(["default"]) == []
    old = MigrationRecorder(connection).migration_qs.filter(app="backup_app")
    old.filter(name__in=["0005_login_attempts", "0006_leftovers"]).delete()

    [error] = checks.check_migrations(["default"])

    assert error.id == "backup_app.E012"
    assert error.msg == "The database 'default' lacks the migration backup_app.0005_login_attempts."
    assert error.hint


@pytest.mark.parametrize(
    ("mode", "is_told"), [(None, True), ("DEFERRED", True), ("IMMEDIATE", False)]
)
def test_sqlite_that_locks_late_is_told(monkeypatch, mode, is_told):
    monkeypatch.setitem(connection.settings_dict["OPTIONS"], "transaction_mode", mode)
    monkeypatch.setattr(connection, "vendor", "sqlite")

    found = checks.check_sqlite()

    assert [warning.id for warning in found] == ["backup_app.W004"] * is_told
