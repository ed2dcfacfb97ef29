"""System checks of the ``CALENDAR_`` settings, and of what the app needs of a project."""

from importlib import import_module
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.apps import apps
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import Group
from django.contrib.sessions.middleware import SessionMiddleware
from django.core.checks import Error, Tags, register
from django.core.checks import Warning as Caution
from django.db import connections, router
from django.db.migrations.recorder import MigrationRecorder
from django.template import TemplateDoesNotExist
from django.template.loader import get_template
from django.urls import NoReverseMatch, reverse
from django.utils.module_loading import import_string
from drf_spectacular.openapi import AutoSchema
from rest_framework.settings import api_settings

from .conf import DEFAULTS, conf
from .lib.tasks import default_task_backend
from .models import Event, RoleGroup
from .services import groups

MAY_BE_ZERO = {"CACHE_SECONDS"}


@register(Tags.compatibility)
def check_settings(**kwargs):
    """Return an error for each setting whose value cannot work."""
    return [
        *_wrong_numbers(),
        *_wrong_zone(),
        *_wrong_base_url(),
        *_wrong_position(),
        *_wrong_groups(),
        *_wrong_address(),
        *_wrong_networks(),
    ]


@register(Tags.compatibility)
def check_project(**kwargs):
    """Return an error for each thing that requests need and that the project lacks."""
    return [*_naive_times(), *_wrong_tasks(), *_wrong_schema_class(), *_missing_for_pages()]


@register(Tags.compatibility)
def check_sqlite(**kwargs):
    """Return a warning where a request could fail while the worker writes to SQLite.

    A transaction that reads first gets no lock afterwards if another one wrote meanwhile, however
    long it may wait.
    """
    database = connections[router.db_for_write(Event)]
    mode = database.settings_dict["OPTIONS"].get("transaction_mode")
    if database.vendor != "sqlite" or str(mode).upper() in {"IMMEDIATE", "EXCLUSIVE"}:
        return []
    return [
        Caution(
            f"Requests can fail with 'database is locked' on the SQLite of '{database.alias}'.",
            hint="Set its OPTIONS to {'transaction_mode': 'IMMEDIATE', 'timeout': 20}.",
            id="calendar_app.W002",
        )
    ]


@register(Tags.database)
def check_migrations(databases=None, **kwargs):
    """Return an error for each database that has only some of the migrations before 0.1.0."""
    replaced = import_module("calendar_app.migrations.0001_squashed").Migration.replaces
    found = []
    for alias in databases or ():
        if not router.allow_migrate(alias, "calendar_app"):
            continue
        missing = set(replaced) - MigrationRecorder(connections[alias]).applied_migrations().keys()
        if 0 < len(missing) < len(replaced):
            found.append(
                Error(
                    f"The database '{alias}' lacks the migration calendar_app.{min(missing)[1]}.",
                    hint="Run 'migrate' with the last version before 0.1.0, then with this one.",
                    id="calendar_app.E011",
                )
            )
    return found


@register(Tags.database)
def check_groups(databases=None, **kwargs):
    """Return a warning for each role whose group has a name that another group has."""
    alias = router.db_for_write(RoleGroup)
    if alias not in (databases or ()):
        return []
    if RoleGroup._meta.db_table not in connections[alias].introspection.table_names():
        return []  # before its migration, which runs this check first
    made = set(RoleGroup.objects.using(alias).values_list("role", flat=True))
    names = set(Group.objects.using(alias).values_list("name", flat=True))
    return [
        Caution(
            groups.taken(role),
            hint=f"Set CALENDAR_{role.upper()}_GROUP to a free name and run 'migrate'.",
            id="calendar_app.W001",
        )
        for role, name in conf.group_names.items()
        if role not in made and name in names
    ]


def _wrong_numbers():
    for name, default in DEFAULTS.items():
        value, least = getattr(conf, name), 0 if name in MAY_BE_ZERO else 1
        if type(default) is int and (type(value) is not int or value < least):
            yield Error(
                f"CALENDAR_{name} is {value!r}, which is not a whole number of {least} or more.",
                hint=f"The default is {default}.",
                id="calendar_app.E001",
            )


def _wrong_zone():
    try:
        ZoneInfo(conf.zone_name)
    except (ZoneInfoNotFoundError, ValueError):
        yield Error(
            f"CALENDAR_TIME_ZONE is {conf.zone_name!r}, which is not an IANA time zone.",
            hint="Use a name such as 'Europe/Paris', or 'UTC'.",
            id="calendar_app.E002",
        )


def _wrong_base_url():
    url = urlsplit(conf.BASE_URL)
    if conf.BASE_URL and not (url.scheme in {"http", "https"} and url.netloc):
        yield Error(
            f"CALENDAR_BASE_URL is {conf.BASE_URL!r}, which is not an absolute http(s) URL.",
            hint="Use the scheme and the host, such as 'https://example.org'.",
            id="calendar_app.E003",
        )


def _wrong_position():
    if conf.CURRENCY_POSITION not in {"prefix", "postfix"}:
        yield Error(
            f"CALENDAR_CURRENCY_POSITION is {conf.CURRENCY_POSITION!r}.",
            hint="Use 'prefix' or 'postfix'.",
            id="calendar_app.E004",
        )


def _wrong_groups():
    names = list(conf.group_names.values())
    for role, name in conf.group_names.items():
        if not isinstance(name, str) or not name or names.count(name) > 1:
            yield Error(
                f"CALENDAR_{role.upper()}_GROUP is {name!r}.",
                hint="Each of the three groups needs a name of its own.",
                id="calendar_app.E005",
            )


def _wrong_address():
    try:
        if not conf.CLIENT_ADDRESS or callable(import_string(conf.CLIENT_ADDRESS)):
            return
        message = "which is not a function"
    except ImportError as e:
        message = f"which could not be loaded: {e}"
    yield Error(
        f"CALENDAR_CLIENT_ADDRESS is '{conf.CLIENT_ADDRESS}', {message}.",
        hint="Name a function(request) -> address, or nothing to use REMOTE_ADDR.",
        id="calendar_app.E012",
    )


def _wrong_networks():
    for kind, number in (("webhook", "E014"), ("feed", "E015")):
        name = f"{kind.upper()}_NETWORKS"
        try:
            getattr(conf, f"{kind}_networks")
        except ValueError as e:
            yield Error(
                f"CALENDAR_{name} is {getattr(conf, name)!r}: {e}.",
                hint="Name networks or addresses, separated by commas, such as '10.0.0.0/8, ::1'.",
                id=f"calendar_app.{number}",
            )


def _naive_times():
    if not conf.uses_aware_times:
        yield Error(
            "USE_TZ is False, but the calendar has times with zones.",
            hint="Set USE_TZ = True.",
            id="calendar_app.E006",
        )


def _wrong_tasks():
    problems = [problem.msg for problem in default_task_backend.check()]
    if not default_task_backend.supports_defer:
        problems.append("The default backend of TASKS cannot defer tasks.")
    for problem in problems:
        yield Error(
            f"Scheduled events cannot be published: {problem}",
            hint=(
                "Add 'django_tasks_db' to INSTALLED_APPS and set TASKS = "
                "{'default': {'BACKEND': 'django_tasks_db.DatabaseBackend'}}."
            ),
            id="calendar_app.E007",
        )


def _wrong_schema_class():
    if not issubclass(api_settings.DEFAULT_SCHEMA_CLASS, AutoSchema):
        yield Error(
            "The calendar's routes and their description at '/doc' need drf-spectacular's schema.",
            hint=(
                "Set REST_FRAMEWORK = "
                "{'DEFAULT_SCHEMA_CLASS': 'drf_spectacular.openapi.AutoSchema'}."
            ),
            id="calendar_app.E008",
        )


def _missing_for_pages():
    """Return what the public pages lack, where the project has them."""
    try:
        reverse("calendar_pages:event", args=["slug"])
    except NoReverseMatch:
        return
    for needed in (SessionMiddleware, AuthenticationMiddleware):
        if not any(_is_one(path, needed) for path in conf.middleware):
            yield Error(
                f"The calendar's pages need {needed.__name__}.",
                hint=f"Add '{needed.__module__}.{needed.__name__}' to MIDDLEWARE.",
                id="calendar_app.E009",
            )
    if conf.keeps_sessions_in_database and not apps.is_installed("django.contrib.sessions"):
        yield Error(
            "The calendar's pages need sessions, which have no table.",
            hint="Add 'django.contrib.sessions' to INSTALLED_APPS.",
            id="calendar_app.E013",
        )
    try:
        get_template("calendar_app/event.html")
    except TemplateDoesNotExist:
        yield Error(
            "The templates of the calendar's pages are not found.",
            hint="Set 'APP_DIRS': True in a DjangoTemplates backend of TEMPLATES.",
            id="calendar_app.E010",
        )


def _is_one(path, needed):
    middleware = import_string(path)
    return isinstance(middleware, type) and issubclass(middleware, needed)
