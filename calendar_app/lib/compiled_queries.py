"""Queries compiled to SQL once, where Django takes longer to compile than the database to run."""

from collections.abc import Sequence
from typing import Any, Generic, TypeVar, cast

from django.db import connections, router
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet
from django.db.models.expressions import Col

M = TypeVar("M", bound=Model)


class CompiledQuery(Generic[M]):
    """Runs a queryset's SQL with other parameters than those it was made with.

    Its records have the queryset's annotations, as the records of the queryset would.
    """

    def __init__(self, queryset: QuerySet[M]) -> None:
        self.model = queryset.model
        compiler = queryset.query.get_compiler(queryset.db)
        self.sql, _ = compiler.as_sql()
        columns = [cast("Col", column) for column, *_ in compiler.select or ()]
        self.converters = compiler.get_converters(columns)
        self.annotations = compiler.annotation_col_map or {}
        fields = columns[: len(columns) - len(self.annotations)]
        self.names = [column.target.attname for column in fields]

    def __call__(self, params: Sequence[Any]) -> list[M]:
        """Return the records for these parameters: those of the SQL, in its order."""
        # Compiled once, but each time it is asked which of the databases to read.
        connection = connections[router.db_for_read(self.model)]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, params)
            rows = cursor.fetchall()
        return [self._record(list(row), connection) for row in rows]

    def _record(self, row: list[Any], connection: BaseDatabaseWrapper) -> M:
        for position, (functions, column) in self.converters.items():
            for function in functions:
                row[position] = function(row[position], column, connection)
        record = self.model.from_db(connection.alias, self.names, row[: len(self.names)])
        for name, position in self.annotations.items():
            setattr(record, name, row[position])
        return record
