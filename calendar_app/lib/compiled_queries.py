"""Queries that are compiled to SQL once, where compiling would take longer than running."""

from django.db import connections


class Compiled:
    """Gives the records of a queryset for other parameters than those it was made with.

    Records have the queryset's annotations. The parameters are those of its SQL, in their order.
    """

    def __init__(self, queryset):
        self.model, self.alias = queryset.model, queryset.db
        compiler = queryset.query.get_compiler(self.alias)
        self.sql, _ = compiler.as_sql()
        columns = [column for column, *_ in compiler.select]
        self.converters = compiler.get_converters(columns)
        self.annotations = compiler.annotation_col_map
        self.names = [
            column.target.attname for column in columns[: len(columns) - len(self.annotations)]
        ]

    def __call__(self, params):
        """Return a list of records."""
        connection = connections[self.alias]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, params)
            rows = cursor.fetchall()
        return [self._record(list(row), connection) for row in rows]

    def _record(self, row, connection):
        for position, (functions, column) in self.converters.items():
            for function in functions:
                row[position] = function(row[position], column, connection)
        record = self.model.from_db(self.alias, self.names, row[: len(self.names)])
        for name, position in self.annotations.items():
            setattr(record, name, row[position])
        return record
