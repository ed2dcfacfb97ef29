"""Health checks for monitors: whether the process is alive, and whether it can do its work."""

from functools import cache

from django.contrib.auth.decorators import login_not_required
from django.core.management import CommandError
from django.db import DatabaseError, connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from backup_app.jobs import readiness
from backup_app.models import Worker
from config.databases.replica import replicas


@login_not_required
@require_safe
@never_cache
def alive(request):
    """Answer that the process is alive; checks nothing else."""
    return JsonResponse({"status": "ok"})


@login_not_required
@require_safe
@never_cache
def ready(request):
    """Answer 200, or 503 with a sentence for each check that failed."""
    checks = {name: _outcome(check) for name, check in CHECKS.items()}
    ready = set(checks.values()) == {"ok"}
    body = {"status": "ok" if ready else "unavailable", "checks": checks}
    if replicas:
        # Nothing fails without one: the primary answers what it would.
        body["replicas"] = {alias: _usage(replica) for alias, replica in replicas.items()}
    return JsonResponse(body, status=200 if ready else 503)


def check_database():
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return "ok"


def check_migrations():
    missing = _known_migrations() - MigrationRecorder(connection).applied_migrations().keys()
    if not missing:
        return "ok"
    return f"{len(missing)} migrations are not applied, {'.'.join(min(missing))} among them."


def check_worker():
    return "ok" if Worker.objects.alive().exists() else "No background worker is running."


def check_backups():
    return " ".join(readiness.faults()) or "ok"


def require_migrations():
    """Raise CommandError when the database lacks migrations."""
    outcome = check_migrations()
    if outcome != "ok":
        raise CommandError(f"{outcome} Run 'manage.py migrate' first.")


CHECKS = {
    "database": check_database,
    "migrations": check_migrations,
    "worker": check_worker,
    "backups": check_backups,
}


def _outcome(check):
    try:
        return check()
    except DatabaseError:
        return "The database does not answer."


def _usage(replica):
    replica.follow()
    fault = replica.fault
    return f"Left out: it {fault}." if fault else "ok"


@cache
def _known_migrations():
    """Return the migrations in the code, which stay the same as long as the process runs."""
    return frozenset(MigrationLoader(None, ignore_no_migrations=True).disk_migrations)
