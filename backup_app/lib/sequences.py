"""IDs that are given by us instead of by the database."""

from django.core.management.color import no_style
from django.db import connection, models


def keep_id(model: type[models.Model]) -> None:
    """Let the database's next ID come after all that are there; SQLite's does by itself."""
    with connection.cursor() as cursor:
        for sql in connection.ops.sequence_reset_sql(no_style(), [model]):
            cursor.execute(sql)
