"""Many rows at once, the quickest way that the database has."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from django.core.management.color import no_style
from django.db import connection, models

BATCH = 5000  # SQLite takes 32,766 parameters
DELETED_AT_ONCE = 1000  # rows of a transaction, so that no other writer waits for long


def batches(values: Iterable) -> Iterator[list]:
    """Yield values in lists that fit into a query."""
    iterator = iter(values)
    while batch := list(islice(iterator, BATCH)):
        yield batch


def keep_id(model: type[models.Model]) -> None:
    """Let the database's next ID come after all that are there; SQLite's does by itself."""
    with connection.cursor() as cursor:
        for sql in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(sql)


def delete_in_batches(rows: models.QuerySet) -> int:
    """Delete these rows, some at a time; return how many."""
    deleted = 0
    while pks := list(rows.values_list("pk", flat=True)[:DELETED_AT_ONCE]):
        deleted += rows.model.objects.filter(pk__in=pks).delete()[0]
    return deleted


def insert_rows(
    model: type[models.Model], attnames: Sequence[str], rows: Iterable[Sequence]
) -> None:
    """Insert plain rows whose values stand in the order of ``attnames``, such as ``job_id``.

    The values are what the database takes as it is: numbers, text, bytes and None. IDs are the
    database's unless they are given, no signals are sent, and fields that are left out must have
    a default of the database. PostgreSQL takes rows by COPY, other databases by executemany.
    """
    table, columns = quoted(model, attnames)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _copy(cursor, f"COPY {table} ({columns}) FROM STDIN", rows)
        else:
            places = ", ".join(["%s"] * len(attnames))
            cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)  # noqa: S608


def _copy(cursor, statement, rows):
    with connection.wrap_database_errors, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def quoted(model: type[models.Model], attnames: Sequence[str]) -> tuple[str, str]:
    """Return the quoted table of a model, and its quoted columns with commas between."""
    quote = connection.ops.quote_name
    columns = {field.attname: field.column for field in model._meta.local_concrete_fields}
    return quote(model._meta.db_table), ", ".join(quote(columns[name]) for name in attnames)
