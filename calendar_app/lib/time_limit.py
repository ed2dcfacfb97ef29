"""A limit on the time that a query may take."""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from django.db import OperationalError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

QUERY_CANCELED = "57014"  # PostgreSQL's SQLSTATE
STEPS = 2000  # of SQLite's virtual machine, between two looks at the clock


class TooSlow(Exception):
    """A query took longer than its limit and was canceled."""


@contextmanager
def time_limit(connection: BaseDatabaseWrapper, seconds: float) -> Iterator[None]:
    """Cancel a query inside the block that takes longer than this, and raise TooSlow.

    There is no limit inside a transaction on PostgreSQL, which a canceled query would spoil, nor on
    databases other than PostgreSQL and SQLite.
    """
    try:
        with _limit(connection, seconds):
            yield
    except OperationalError as e:
        if _was_canceled(e):
            raise TooSlow from e
        raise


def _limit(connection: BaseDatabaseWrapper, seconds: float) -> AbstractContextManager[None]:
    if connection.vendor == "sqlite":
        return _sqlite_limit(connection, seconds)
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        return _postgresql_limit(connection, seconds)
    return nullcontext()


@contextmanager
def _postgresql_limit(connection: BaseDatabaseWrapper, seconds: float) -> Iterator[None]:
    with transaction.atomic(using=connection.alias):
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL statement_timeout = {round(seconds * 1000)}")
        yield


@contextmanager
def _sqlite_limit(connection: BaseDatabaseWrapper, seconds: float) -> Iterator[None]:
    connection.ensure_connection()
    end = time.monotonic() + seconds
    connection.connection.set_progress_handler(lambda: time.monotonic() > end, STEPS)
    try:
        yield
    finally:
        connection.connection.set_progress_handler(None, 0)


def _was_canceled(error: OperationalError) -> bool:
    cause = error.__cause__
    interrupted = getattr(cause, "sqlite_errorname", "") == "SQLITE_INTERRUPT"
    return interrupted or getattr(cause, "sqlstate", "") == QUERY_CANCELED
