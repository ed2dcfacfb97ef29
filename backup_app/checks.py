"""System checks of the ``BACKUP_`` settings, and of what the app needs of a project."""

import os
import re
from importlib import import_module
from importlib.util import find_spec
from urllib.parse import urlsplit

from django.contrib.auth.models import Group
from django.core.checks import Error, Tags, register
from django.core.checks import Warning as Caution
from django.db import OperationalError, ProgrammingError, connections, router
from django.db.migrations.recorder import MigrationRecorder
from django.utils.module_loading import import_string

from .conf import DEFAULTS, conf
from .engines import Engine, get_engine
from .exceptions import InvalidEngine
from .lib.tasks import default_task_backend
from .models import Job, StaffGroup
from .services import staff_groups

MAY_BE_ZERO = {"PURGE_DAYS"}
LISTS = ("LOCAL_ROOTS", "COMMANDS", "MAILBOX_PATTERNS", "WEBHOOK_NETWORKS")
FOLDERS = ("ROOT", "CREDENTIALS_DIR")
TOKEN = re.compile(r"[A-Za-z0-9._~+/-]{20,}=*")  # what RFC 6750 lets a header carry


@register(Tags.compatibility)
def check_settings(**kwargs):
    """Return an error for each setting whose value cannot work."""
    others = (
        _wrong_roots,
        _wrong_patterns,
        _wrong_address,
        _wrong_queue,
        _wrong_token,
        _wrong_networks,
        _wrong_site,
        _wrong_groups,
    )
    return list(_wrong_values()) or [error for wrong in others for error in wrong()]


@register(Tags.compatibility)
def check_project(**kwargs):
    """Return an error for each thing that jobs need and that the project lacks."""
    return [*_naive_times(), *_wrong_tasks()]


@register(Tags.compatibility)
def check_sqlite(**kwargs):
    """Return a warning where a request could fail while the worker writes to SQLite.

    A transaction that has read cannot get the lock once another one has written, however long it
    waits.
    """
    database = connections[router.db_for_write(Job)]
    mode = database.settings_dict["OPTIONS"].get("transaction_mode")
    if database.vendor != "sqlite" or str(mode).upper() in {"IMMEDIATE", "EXCLUSIVE"}:
        return []
    return [
        Caution(
            f"Requests can fail with 'database is locked' on the SQLite of '{database.alias}'.",
            hint="Set its OPTIONS to {'transaction_mode': 'IMMEDIATE', 'timeout': 20}.",
            id="backup_app.W004",
        )
    ]


@register(Tags.database)
def check_migrations(databases=None, **kwargs):
    """Return an error for each database that has only some of the migrations before 0.1.0."""
    replaced = import_module("backup_app.migrations.0001_squashed").Migration.replaces
    found = []
    for alias in databases or ():
        if not router.allow_migrate(alias, "backup_app"):
            continue
        missing = set(replaced) - MigrationRecorder(connections[alias]).applied_migrations().keys()
        if 0 < len(missing) < len(replaced):
            found.append(
                Error(
                    f"The database '{alias}' lacks the migration backup_app.{min(missing)[1]}.",
                    hint="Run 'migrate' with the last version before 0.1.0, then with this one.",
                    id="backup_app.E012",
                )
            )
    return found


@register(Tags.database)
def check_groups(databases=None, **kwargs):
    """Return a warning for each role whose group has a name that another group has."""
    alias = router.db_for_write(StaffGroup)
    if alias not in (databases or ()):
        return []
    if StaffGroup._meta.db_table not in connections[alias].introspection.table_names():
        return []  # before its migration, which runs this check first
    made = set(StaffGroup.objects.using(alias).values_list("role", flat=True))
    names = set(Group.objects.using(alias).values_list("name", flat=True))
    return [
        Caution(
            staff_groups.taken(role),
            hint=f"Set BACKUP_{role.upper()}_GROUP to a free name and run 'migrate'.",
            id="backup_app.W005",
        )
        for role, name in conf.group_names.items()
        if role not in made and name in names
    ]


@register(Tags.compatibility)
def check_upload_limits(**kwargs):
    """Return a warning for each limit of Django's that is below what the API accepts."""
    given = zip(("MEMORY_SIZE", "NUMBER_FIELDS"), conf.upload_limits, strict=True)
    wanted = {"MEMORY_SIZE": conf.MAX_BODY_BYTES, "NUMBER_FIELDS": conf.MAX_PATHS}
    return [
        Caution(
            f"DATA_UPLOAD_MAX_{name} is {value}: larger multipart forms are rejected.",
            hint=f"Set it to {wanted[name]} or more.",
            id="backup_app.W002",
        )
        for name, value in given
        if value is not None and value < wanted[name]
    ]


@register(Tags.compatibility)
def check_engines(**kwargs):
    """Return an error for each engine that cannot be created."""
    if not isinstance(conf.engines, dict) or "default" not in conf.engines:
        hint = 'Declare it as caches are in CACHES: {"default": {"BACKEND": "...", "OPTIONS": {}}}.'
        return [Error("BACKUP_ENGINES needs a 'default' alias.", hint=hint, id="backup_app.E001")]
    return [error for alias in conf.engines for error in _wrong_engine(alias)]


@register(Tags.database)
def check_folders(databases=None, **kwargs):
    """Return a warning when backups cannot be written below ``BACKUP_ROOT``.

    Only with ``check --database``: other commands may run as another user than the service.
    """
    place = conf.root
    while not place.exists():
        place = place.parent
    if not databases or (place.is_dir() and os.access(place, os.W_OK)):
        return []
    return [
        Caution(
            f"BACKUP_ROOT is '{conf.root}', and '{place}' is not a writable folder.",
            hint="Let the user that runs the service write there, or name another folder.",
            id="backup_app.W001",
        )
    ]


@register(Tags.database)
def check_what_engines_need(databases=None, **kwargs):
    """Return a warning for each fault that prevents an engine from working.

    Only with ``check --database``, for the engines of that database: it may take a while.
    """
    return [
        Caution(fault, hint=f"It concerns the engine '{alias}'.", id="backup_app.W003")
        for alias in conf.engines
        for fault in _faults(alias, databases or ())
    ]


def _faults(alias, databases):
    try:
        engine = get_engine(alias)
    except InvalidEngine:
        return []  # reported by check_engines
    try:
        return list(engine.faults()) if engine.database in databases else []
    except (OperationalError, ProgrammingError):
        return []  # before its migrations, which run this check first


def _wrong_engine(alias):
    try:
        if isinstance(get_engine(alias), Engine):
            return
        message = f"The engine '{alias}' is not a subclass of backup_app.engines.Engine."
    except InvalidEngine as e:
        message = str(e)
    yield Error(message, hint="Correct BACKUP_ENGINES.", id="backup_app.E002")


def _wrong_values():
    for name, default in DEFAULTS.items():
        value = getattr(conf, name)
        if found := _wrong_value(name, type(default), value):
            number, why = found
            yield Error(
                f"BACKUP_{name} is {value!r}{why}.",
                hint=f"The default is {default!r}.",
                id=f"backup_app.{number}",
            )


def _wrong_value(name, kind, value):
    """Return the number of the error and why a value is wrong; None for a right one."""
    if kind is int:
        least = 0 if name in MAY_BE_ZERO else 1
        is_right = type(value) is int and value >= least
        return None if is_right else ("E003", f", which is not a whole number of {least} or more")
    if kind is bool:
        return None if type(value) is bool else ("E004", ", which is neither True nor False")
    if name in LISTS and isinstance(value, list | tuple):
        return None if all(isinstance(member, str) for member in value) else ("E005", "")
    # Paths may be pathlib's.
    is_right = isinstance(value, str | os.PathLike) and (name not in FOLDERS or str(value))
    return None if is_right else ("E005", "")


def _wrong_roots():
    for root in conf.local_roots:
        if not root.is_absolute():
            yield Error(
                f"BACKUP_LOCAL_ROOTS has '{root}', which is not an absolute path.",
                hint="Separate paths by commas, such as '/srv, /home'.",
                id="backup_app.E006",
            )


def _wrong_patterns():
    for pattern in conf.mailbox_patterns:
        try:
            if "mailbox" in re.compile(pattern).groupindex:
                continue
            message = "has no group named 'mailbox'"
        except re.error as e:
            message = f"is not a regular expression: {e}"
        yield Error(
            f"BACKUP_MAILBOX_PATTERNS has '{pattern}', which {message}.",
            hint="Separate patterns by a comma and a space.",
            id="backup_app.E007",
        )


def _wrong_address():
    try:
        if not conf.CLIENT_ADDRESS or callable(import_string(conf.CLIENT_ADDRESS)):
            return
        message = "which is not a function"
    except ImportError as e:
        message = f"which could not be loaded: {e}"
    yield Error(
        f"BACKUP_CLIENT_ADDRESS is '{conf.CLIENT_ADDRESS}', {message}.",
        hint="Name a function(request) -> address, or nothing to use REMOTE_ADDR.",
        id="backup_app.E008",
    )


def _wrong_queue():
    queues = default_task_backend.queues
    if queues and conf.QUEUE not in queues:
        yield Error(
            f"BACKUP_QUEUE is '{conf.QUEUE}', which TASKS does not know.",
            hint=f"TASKS has {', '.join(sorted(queues))}.",
            id="backup_app.E009",
        )


def _wrong_groups():
    names = list(conf.group_names.values())
    for role, name in conf.group_names.items():
        if not name or names.count(name) > 1:
            yield Error(
                f"BACKUP_{role.upper()}_GROUP is {name!r}.",
                hint="Each of the two groups needs a name of its own.",
                id="backup_app.E017",
            )


def _wrong_token():
    # The message must not show the token.
    if not conf.METRICS_TOKEN:
        return
    if not TOKEN.fullmatch(str(conf.METRICS_TOKEN)):
        yield Error(
            "BACKUP_METRICS_TOKEN is shorter than 20 characters, or has others than -._~+/= "
            "besides letters and digits.",
            hint="Generate one with: python3 -c 'import secrets; print(secrets.token_urlsafe())'.",
            id="backup_app.E013",
        )
    if find_spec("prometheus_client") is None:
        yield Error(
            "BACKUP_METRICS_TOKEN is set, but the package prometheus-client is missing.",
            hint="Run 'pip install prometheus-client'; without it there are no metrics.",
            id="backup_app.E014",
        )


def _wrong_networks():
    try:
        conf.webhook_networks  # noqa: B018 - is read for its ValueError
    except ValueError as e:
        yield Error(
            f"BACKUP_WEBHOOK_NETWORKS is {conf.WEBHOOK_NETWORKS!r}: {e}.",
            hint="Name networks or addresses, separated by commas, such as '10.0.0.0/8, ::1'.",
            id="backup_app.E015",
        )


def _wrong_site():
    parts = urlsplit(str(conf.SITE_URL))
    if conf.SITE_URL and (parts.scheme not in {"http", "https"} or not parts.netloc):
        yield Error(
            f"BACKUP_SITE_URL is '{conf.SITE_URL}', which is no URL of a site.",
            hint="Name scheme and host, such as https://backup.example.org.",
            id="backup_app.E016",
        )


def _naive_times():
    if not conf.uses_aware_times:
        yield Error(
            "USE_TZ is False, but the times of backups have zones.",
            hint="Set USE_TZ = True.",
            id="backup_app.E010",
        )


def _wrong_tasks():
    problems = [problem.msg for problem in default_task_backend.check()]
    if not default_task_backend.supports_defer:
        problems.append("The default backend of TASKS cannot defer tasks.")
    for problem in problems:
        yield Error(
            f"Jobs cannot be queued: {problem}",
            hint=(
                "Add 'django_tasks_db' to INSTALLED_APPS and set TASKS = "
                "{'default': {'BACKEND': 'django_tasks_db.DatabaseBackend'}}."
            ),
            id="backup_app.E011",
        )
