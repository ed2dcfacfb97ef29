"""Sends the queries of a request to the database that was chosen for it."""

from contextvars import ContextVar

from django.conf import settings
from django.db import DEFAULT_DB_ALIAS

CALENDAR = "calendar_app"

# The replica that the current request reads; None for the primary.
replica_of_request: ContextVar[str | None] = ContextVar("replica_of_request", default=None)


class Router:
    """Reads the calendar from the replica of the request, and all else from the primary.

    Also what belongs to a record from a replica, which Django would look for there.
    """

    def db_for_read(self, model, instance=None, **hints):
        if model._meta.app_label == CALENDAR:
            return replica_of_request.get() or DEFAULT_DB_ALIAS
        return self.db_for_write(model, instance)

    def db_for_write(self, model, instance=None, **hints):
        is_read_only = instance and instance._state.db in settings.DATABASE_REPLICAS
        return DEFAULT_DB_ALIAS if is_read_only else None

    def allow_migrate(self, db, app_label, **hints):
        return False if db in settings.DATABASE_REPLICAS else None
