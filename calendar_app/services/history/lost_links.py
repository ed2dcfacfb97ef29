"""Keeps as history that a record was deleted which others were linked to: each of them says so.

In one query for each kind of these, however many they are: the database writes the rows.
"""

from collections.abc import Iterator
from typing import Any

from django.db import connections, router
from django.db.models import DateTimeField, F, JSONField, Model, QuerySet, Value
from django.db.models.functions import Left
from django.utils import timezone

from ...models import Change, Event, Image, Organizer, Venue
from .. import actor
from .changes import LINKS, TITLE


def before_delete(sender: type[Model], instance: Model, **kwargs: Any) -> None:
    """Signal receiver: keep what a record that is about to be deleted is linked to."""
    keep(instance)


def keep(record: Model) -> None:
    """Keep as history of all that is linked to record that these links are about to go."""
    for name, linked in _linked_to(record):
        _insert(linked, {name: [[record.pk], []] if name in LINKS else [record.pk, None]})


def _linked_to(record: Model) -> Iterator[tuple[str, QuerySet[Any]]]:
    """Yield the records that are linked to this one, and the field by which they are."""
    for name, (through, column) in LINKS.items():
        if through._meta.get_field(column).related_model is type(record):
            links = through.objects.filter(**{column: record.pk})
            yield name, Event.objects.filter(pk__in=links.values("event"))
            return
    name = "image_id" if isinstance(record, Image) else "author_id"
    for model in (Event, Venue, Organizer):
        yield name, model.objects.filter(**{name: record.pk})


def _insert(linked: QuerySet[Any], values: dict[str, Any]) -> None:
    by = actor.current()
    columns: dict[str, Any] = {
        "stamp": Value(0),
        "at": Value(timezone.now(), DateTimeField()),
        "kind": Value(linked.model._meta.model_name),
        "record_id": F("pk"),
        "verb": Value(Change.Verb.UNLINKED.value),
        "title": Left("title" if linked.model is Event else "name", TITLE),
        "values": Value(values, JSONField()),
        "user_id": Value(by.user_id, Change._meta.get_field("user").target_field),
        "door": Value(by.door),
    }
    rows = linked.order_by().values_list(*(value for value in columns.values()))
    connection = connections[router.db_for_write(Change)]
    sql, params = rows.query.get_compiler(connection=connection).as_sql()
    names = ", ".join(map(connection.ops.quote_name, columns))
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO {Change._meta.db_table} ({names}) {sql}", params)
