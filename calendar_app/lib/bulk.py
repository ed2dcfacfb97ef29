"""Inserts of many rows at once, in the fastest way that the database offers."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.core.management.color import no_style
from django.db import connection, models


def insert(model: type[models.Model], records: Iterable[models.Model]) -> None:
    """Insert records (unsaved instances with their IDs set) without sending any signals.

    PostgreSQL takes them by COPY, other databases by executemany.
    """
    fields = model._meta.local_concrete_fields
    rows = [
        [field.get_db_prep_save(getattr(record, field.attname), connection) for field in fields]
        for record in records
    ]
    quote = connection.ops.quote_name
    table, columns = quote(model._meta.db_table), ", ".join(quote(f.column or "") for f in fields)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _copy(cursor, f"COPY {table} ({columns}) FROM STDIN", rows)
            for statement in connection.ops.sequence_reset_sql(no_style(), [model]):
                cursor.execute(statement)
        else:
            places = ", ".join(["%s"] * len(fields))
            cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)  # noqa: S608


def _copy(cursor: Any, statement: str, rows: Iterable[Sequence[Any]]) -> None:
    with cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def analyze(*models: type[models.Model]) -> None:
    """Update the statistics from which the database's planner chooses an index."""
    with connection.cursor() as cursor:
        for model in models:
            cursor.execute(f"ANALYZE {connection.ops.quote_name(model._meta.db_table)}")
