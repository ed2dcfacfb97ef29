"""The database with the service's tables: whether it answers, and whether it is up to date."""

from collections.abc import Iterator

from django.db import DatabaseError, connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.migrations.executor import MigrationExecutor

from ..lib.formatting import counted
from ..models import Job
from .finding import Finding, failed, ok


def ours() -> BaseDatabaseWrapper:
    """Return the connection to the database of the service's tables."""
    return connections[router.db_for_write(Job)]


def examine() -> Iterator[Finding]:
    """Yield whether the database answers, with its version."""
    connection = ours()
    name = _name(connection)
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        version = ".".join(map(str, connection.get_database_version()))
    except DatabaseError as e:
        # Its first line: PostgreSQL repeats the reason for each address of a host.
        reason = next(iter(str(e).strip().splitlines()), type(e).__name__)
        yield failed(
            f"The database '{name}' cannot be used: {reason.rstrip('.')}.",
            "Check that its server runs, and its address, user and password in the settings."
            if connection.vendor != "sqlite"
            else "Check who owns the file and its folder, and the space on its disk.",
        )
    else:
        yield ok(f"{connection.display_name} {version} answers, database '{name}'.")


def examine_migrations() -> Iterator[Finding]:
    """Yield whether all migrations of the project are applied."""
    executor = MigrationExecutor(ours())
    plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if not plan:
        yield ok("All migrations are applied.")
        return
    first = f"{plan[0][0].app_label}.{plan[0][0].name}"
    yield failed(
        f"{counted(len(plan), 'migration')} not applied, the first is {first}.",
        "Run 'manage.py migrate'.",
    )


def _name(connection: BaseDatabaseWrapper) -> str:
    """Return the name of a database and its server, without the login."""
    settings = connection.settings_dict
    host = settings.get("HOST")
    return f"{settings['NAME']}" + (f" at {host}:{settings.get('PORT') or 5432}" if host else "")
