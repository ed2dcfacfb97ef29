"""Trigram indexes for the search of events, where the database has them (PostgreSQL).

They are on what ``icontains`` compares: the upper case of a column's text.
"""

from django.contrib.postgres.operations import TrigramExtension
from django.db import migrations

COLUMNS = ["title", "description", "excerpt"]
CREATE = (
    "CREATE INDEX calendar_event_{0}_words ON calendar_app_event "
    'USING gin (UPPER("{0}"::text) gin_trgm_ops)'
)
DROP = "DROP INDEX calendar_event_{0}_words"


def make_indexes(apps, schema_editor):
    run(schema_editor, CREATE)


def drop_indexes(apps, schema_editor):
    run(schema_editor, DROP)


def run(schema_editor, statement):
    if schema_editor.connection.vendor == "postgresql":
        for column in COLUMNS:
            schema_editor.execute(statement.format(column))


class Migration(migrations.Migration):
    dependencies = [("calendar_app", "0002_groups")]
    operations = [TrigramExtension(), migrations.RunPython(make_indexes, drop_indexes)]
