"""Reading the database of Bacula's catalog: each query guarded, each failure a sentence."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from django.db import DatabaseError, InterfaceError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper
from django.utils.connection import ConnectionDoesNotExist

from ....exceptions import EngineError, EngineUnreachable
from .schema import SCHEMAS, SUPPORTED, VERSIONS, Query, Schema

Parameters = Sequence[Any] | Mapping[str, Any]
TIMED_OUT = "57014"
CHUNK = 2000  # rows
# Each query reads a few rows by an index: JIT compilation, parallel workers or sequential
# scans would take longer.
PREPARE = """
SELECT set_config('statement_timeout', %s, false), set_config('jit', 'off', false),
    set_config('max_parallel_workers_per_gather', '0', false),
    set_config('random_page_cost', '1.1', false)
"""

# Of connections of psycopg, whose settings are made.
_schemas: WeakKeyDictionary[Any, Schema] = WeakKeyDictionary()


class TimedOut(EngineUnreachable):
    """A query took longer than it may."""


class Reader:
    """Reads over Django's connection of an alias, and closes one that is broken.

    Raises EngineUnreachable while the database is unreachable, and EngineError for a query that it
    refuses, for tables of an unknown version and for an unknown alias.
    """

    def __init__(self, alias: str, seconds: int = 30) -> None:
        self.alias, self.seconds = alias, seconds

    def rows(self, query: Query, parameters: Parameters = ()) -> list[Any]:
        """Return all rows of a query, which may take ``seconds``."""
        with self._as_engine_errors():
            connection = self._connection()
            was_open = connection.connection is not None
            try:
                return self._read(connection, query, parameters)
            except (InterfaceError, OperationalError) as e:
                # A connection that was kept open does not survive a restart of the database.
                if _has_timed_out(e) or not (was_open and self._close_broken(connection)):
                    raise
            return self._read(connection, query, parameters)

    def stream(self, query: Query, parameters: Parameters = ()) -> Generator[Any, None, None]:
        """Yield the rows of a query without a time limit, a few at a time.

        Close the generator if it is not read to its end.
        """
        with self._as_engine_errors():
            self.rows("SELECT set_config('statement_timeout', '0', false)")
            sql = _sql(query, _schemas[self._connection().connection])
            try:
                # Outside a transaction the server keeps the rows until the cursor is closed.
                with self._connection().chunked_cursor() as cursor:
                    cursor.execute(sql, parameters)
                    while found := cursor.fetchmany(CHUNK):
                        yield from found
            finally:
                self.rows(PREPARE, [f"{self.seconds}s"])

    @property
    def schema(self) -> Schema:
        """How the catalog keeps what is kept differently by Bacula's versions."""
        self.rows("SELECT 1")
        return _schemas[self._connection().connection]

    def _read(
        self, connection: BaseDatabaseWrapper, query: Query, parameters: Parameters
    ) -> list[Any]:
        with connection.cursor() as cursor:
            schema = _schemas.get(connection.connection)
            if schema is None:
                schema = _schemas[connection.connection] = self._prepare(cursor)
            cursor.execute(_sql(query, schema), parameters)
            found: list[Any] = cursor.fetchall()
            return found

    def _prepare(self, cursor: Any) -> Schema:
        cursor.execute(PREPARE, [f"{self.seconds}s"])
        cursor.execute("SELECT versionid FROM version")
        found = [version for (version,) in cursor.fetchall()]
        if len(found) != 1 or found[0] not in SCHEMAS:
            raise EngineError(
                f"The catalog '{self.alias}' has tables of version "
                f"{', '.join(map(str, found)) or 'none'}: this service supports those of Bacula"
                f" {SUPPORTED}, which are {VERSIONS}."
            )
        return SCHEMAS[found[0]]

    def _connection(self) -> BaseDatabaseWrapper:
        try:
            found = connections[self.alias]
        except ConnectionDoesNotExist as e:
            raise EngineError(f"DATABASES has no '{self.alias}' for Bacula's catalog.") from e
        if found.vendor != "postgresql":
            raise EngineError(f"The catalog '{self.alias}' is {found.vendor}, not PostgreSQL.")
        return found

    def _close_broken(self, connection: BaseDatabaseWrapper) -> bool:
        """Close a connection that is broken; return whether it was."""
        if connection.in_atomic_block:
            return False
        connection.close_if_unusable_or_obsolete()
        return connection.connection is None

    @contextmanager
    def _as_engine_errors(self) -> Iterator[None]:
        try:
            yield
        except (InterfaceError, OperationalError) as e:
            if _has_timed_out(e):
                # Not an EngineError, which would end a running job: the catalog is only busy.
                raise TimedOut(
                    f"The catalog '{self.alias}' did not answer within {self.seconds} seconds."
                ) from e
            self._close_broken(connections[self.alias])
            raise EngineUnreachable(
                f"The catalog '{self.alias}' cannot be reached: {_one_line(e)}"
            ) from e
        except DatabaseError as e:
            raise EngineError(
                f"The catalog '{self.alias}' refused the query: {_one_line(e)}"
            ) from e


def _sql(query: Query, schema: Schema) -> str:
    return query if isinstance(query, str) else query(schema)


def text(column: str) -> str:
    """Return SQL for the bytes of a text: names may be of any encoding, or of none."""
    return f"convert_to({column}, 'SQL_ASCII')"


def of_bytes(value: str) -> str:
    """Return SQL for a text of bytes; without its collation no index would find it."""
    return f"convert_from({value}, 'SQL_ASCII') COLLATE \"default\""


def number(field: str) -> str:
    """Return SQL for a number of an LStat: up to ten digits of base 64, padded to nine bytes."""
    return (
        f"('x' || substr(encode(decode(lpad({field}, 12, 'A'), 'base64'), 'hex'), 3))"
        "::bit(64)::bigint"
    )


def _has_timed_out(error: Exception) -> bool:
    return getattr(error.__cause__, "sqlstate", None) == TIMED_OUT


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())[:500]
