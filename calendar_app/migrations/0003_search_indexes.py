"""Trigram indexes for the search of events, where the database has them (PostgreSQL).

They are on what ``icontains`` compares: the upper case of a column's text.
"""

from django.db import migrations

# As TrigramExtension does, which needs psycopg also where the database is another one.
EXTENSION = "CREATE EXTENSION IF NOT EXISTS pg_trgm"
COLUMNS = ["title", "description", "excerpt"]
CREATE = (
    "CREATE INDEX calendar_event_{0}_words ON calendar_app_event "
    'USING gin (UPPER("{0}"::text) gin_trgm_ops)'
)
DROP = "DROP INDEX calendar_event_{0}_words"


def make_indexes(apps, schema_editor):
    run(schema_editor, EXTENSION, *map(CREATE.format, COLUMNS))


def drop_indexes(apps, schema_editor):
    run(schema_editor, *map(DROP.format, COLUMNS))


def run(schema_editor, *statements):
    if schema_editor.connection.vendor == "postgresql":
        for statement in statements:
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("calendar_app", "0002_groups")]
    operations = [migrations.RunPython(make_indexes, drop_indexes)]
