"""Bulk operations: lists that fit into a query, fast inserts, deletions in short transactions."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby, islice
from typing import Any, TypeVar, cast

from django.core.management.color import no_style
from django.db import connection, models

BATCH = 5000  # SQLite takes at most 32,766 parameters in a query
T = TypeVar("T")
PARAMETERS = 999  # of an INSERT; SQLite before 3.32 takes no more
DELETED_AT_ONCE = 1000  # rows in a transaction


def batches(values: Iterable[T], size: int = BATCH) -> Iterator[list[T]]:
    """Yield the values in lists of at most ``size``; by default such that fit into a query."""
    iterator = iter(values)
    while batch := list(islice(iterator, size)):
        yield batch


def keep_id(model: type[models.Model]) -> None:
    """Advance the sequence of IDs past all existing rows; SQLite does so by itself."""
    with connection.cursor() as cursor:
        for sql in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(sql)


def delete_in_batches(rows: models.QuerySet[Any], size: int | None = None) -> int:
    """Delete rows in batches, so that no other writer waits for long; return how many."""
    deleted = 0
    while pks := list(rows.values_list("pk", flat=True)[: size or DELETED_AT_ONCE]):
        deleted += rows.model.objects.filter(pk__in=pks).delete()[0]
    return deleted


def insert_rows(
    model: type[models.Model], attnames: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Insert plain rows whose values stand in the order of ``attnames``, such as ``job_id``.

    The values need no conversion: numbers, text, bytes and None. IDs are the
    database's unless they are given, no signals are sent, and fields that are left out must have
    a default of the database. PostgreSQL takes rows by COPY, other databases many in an INSERT.
    """
    table, columns = quoted(model, attnames)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            _copy(cursor, f"COPY {table} ({columns}) FROM STDIN", rows)
        else:
            places = f"({', '.join(['%s'] * len(attnames))})"
            insert = f"INSERT INTO {table} ({columns}) VALUES "  # noqa: S608
            for size, group in groupby(batches(rows, PARAMETERS // len(attnames)), len):
                values = (list(chain.from_iterable(few)) for few in group)
                cursor.executemany(insert + ", ".join([places] * size), cast("Any", values))


def commit_later() -> None:
    """Let the commit of this transaction not wait for the disk, where the database can do so.

    A crash of the database may lose it, but none that came before a commit that did wait.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL synchronous_commit = off")


def release_pages() -> None:
    """Let SQLite free the pages that it keeps in memory, for those who will not need them again."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA shrink_memory")


def _copy(cursor: Any, statement: str, rows: Iterable[Sequence[Any]]) -> None:
    with connection.wrap_database_errors, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def quoted(model: type[models.Model], attnames: Sequence[str]) -> tuple[str, str]:
    """Return the quoted table of a model, and its quoted columns with commas between."""
    quote = connection.ops.quote_name
    fields = model._meta.local_concrete_fields
    columns = {field.attname: str(field.column) for field in fields}
    return quote(model._meta.db_table), ", ".join(quote(columns[name]) for name in attnames)
