"""The columns of exports and imports: the writable fields of the API, under its names."""

import datetime as dt
import json
from contextlib import contextmanager, nullcontext
from functools import cache

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Manager
from import_export.fields import Field
from import_export.resources import ModelResource
from rest_framework.exceptions import ValidationError as ApiError

from ...api.errors import as_calendar_error, shown
from ...api.representations import Urls
from ...api.representations.times import stamp
from ...api.serializers.fields import is_blank, whole_number
from ...api.serializers.relations import LinkedField
from ...exceptions import CalendarError
from ...models import Event, Image, Term
from ...services import images, new_events
from ...services.revision import part, remembering, with_revision, writing
from ..links import with_links
from . import headings

EXCLUDED = {"date_utc"}  # the same as date


class Column(Field):
    """A value in the form that the API accepts."""

    def export(self, instance, **kwargs):
        return _written(self.get_value(instance))


class ApiResource(ModelResource):
    """Stores rows through ``serializer``, with the rights that the request's user has in the admin.

    A row with an ``id`` changes the columns that the file has; one without adds a record.
    """

    serializer = None
    headers = None  # of the file that is being imported

    def __init__(self, request, admin):
        super().__init__()
        self.request, self.admin = request, admin
        fields = self.serializer().fields.items()
        self.linked = [name for name, field in fields if isinstance(field, LinkedField)]

    def import_data(self, dataset, dry_run=False, **kwargs):
        """Import all rows, or none if one is refused; a dry run tells what it would change.

        All are checked before the first one is stored: only from then on other writers wait.
        """
        dataset.headers = headings.understood(dataset.headers or [], self.serializer)
        self.headers = {*dataset.headers}
        if dry_run and (sentence := headings.unknown(self.headers, self.serializer)):
            self.admin.message_user(self.request, sentence, messages.WARNING)
        self.checked, self.saved = self._checked(dataset), []
        diffs = self._diffs() if dry_run else []
        with writing(precise=True), self.memory():
            with new_events.together():
                result = super().import_data(dataset, **kwargs, use_transactions=False)
            is_refused = result.has_errors() or result.has_validation_errors()
            stored = self._stored() if diffs and not is_refused else {}
            if dry_run or is_refused:
                transaction.set_rollback(True)
        if not is_refused:
            self._complete(result, diffs, stored)
        return result

    def memory(self):
        """Return a block in which what rows name is looked up once, if no other row changes it."""
        return nullcontext()

    def loaded(self, records):
        """Return records with all that a table has of them."""
        return records

    def get_import_fields(self):
        """Return all possible columns, or those of the imported file, which the preview shows."""
        fields = super().get_import_fields()
        if self.headers is None:
            return fields
        return [field for field in fields if field.column_name in self.headers]

    def before_import_row(self, row, row_number, **kwargs):
        self.row = self.checked[row_number - 1]
        if isinstance(self.row, ValidationError):
            raise self.row

    def get_instance(self, instance_loader, row):
        return self.row.instance

    def import_instance(self, instance, row, **kwargs):
        """Do nothing: the row was checked."""

    def do_instance_save(self, instance, is_create):
        with _row_errors(), part():
            self.saved.append(self.row.save())

    def _checked(self, dataset):
        """Return for each row the serializer that stores it, or the error that refuses it."""
        rows = [dict(zip(dataset.headers, row, strict=True)) for row in dataset]
        ids = {whole_number(row.get("id")) for row in rows} - {None}
        self.records = self.loaded(self.admin.get_queryset(self.request)).in_bulk(ids)
        self.context = {
            "request": self.request,
            "urls": Urls.of(self.request),
            "lookups_until": images.lookups_end(),
        }
        checked = []
        for row in rows:
            try:
                checked.append(self._serializer(row))
            except ValidationError as e:
                checked.append(e)
        return checked

    def _diffs(self):
        """Return what the records are before the import; nothing if a row is refused already."""
        if any(isinstance(row, ValidationError) for row in self.checked):
            return []
        new, diff = self.init_instance(), self.get_diff_class()
        return [diff(self, row.instance or new, row.instance is None) for row in self.checked]

    def _stored(self):
        """Return the records of all rows as they are stored, by ID."""
        return self.loaded(self._meta.model.objects).in_bulk({record.pk for record in self.saved})

    def _complete(self, result, diffs, stored):
        """Tell in all rows which records were stored, and how they differ from before."""
        for row, record in zip(result, self.saved, strict=True):
            row.add_instance_info(record)
            row.instance = record
        for row, diff in zip(result, diffs, strict=False):
            diff.compare_with(self, stored[row.object_id])
            row.diff = diff.as_html()

    def _serializer(self, row):
        """Return a valid serializer of a row. Raises ValidationError."""
        record = None if is_blank(row.get("id")) else self._take(row["id"])
        serializer = self.serializer(
            record, data=self._data(row), partial=record is not None, context=self.context
        )
        with _row_errors():
            serializer.is_valid(raise_exception=True)
        return serializer

    def _take(self, given):
        """Return the record that a row changes; each may be changed by one row only."""
        pk, kind = whole_number(given), self.admin.opts.verbose_name
        if pk not in self.records:
            raise ValidationError({"id": f"There is no {kind} {shown(given)}."})
        if self.records[pk] is None:
            raise ValidationError({"id": f"The {kind} {pk} is in an earlier row too."})
        # Who may import may add.
        if not self.admin.has_change_permission(self.request, self.records[pk]):
            raise ValidationError({"id": f"You may not change {kind} {pk}."})
        record, self.records[pk] = self.records[pk], None
        return record

    def _data(self, row):
        """Return the row as a request's body; in a table, custom fields are JSON text."""
        data, text = dict(row), row.get("custom_fields")
        if isinstance(text, str) and not is_blank(text):
            try:
                data["custom_fields"] = json.loads(text)
            except ValueError as e:
                raise ValidationError({"custom_fields": f"{shown(text)} is not JSON: {e}."}) from e
        for name in self.linked:
            if _is_name(text := row.get(name)):
                data[name] = [{name: text.strip()}]
        return data


class EventResource(ApiResource):
    """Events, which are linked to other records; no row changes the records of another one."""

    def memory(self):
        return remembering()

    def loaded(self, records):
        return with_links(with_revision(records), self.request.user)


@cache
def resource_of(serializer):
    """Return a resource whose columns are the fields of serializer."""
    model, fields = serializer.model, serializer().fields.items()
    columns = {"id": Column("id", "id")} | {
        name: Column(model._meta.get_field(field.source).attname, name)
        for name, field in fields
        if not field.write_only and name not in EXCLUDED
    }
    # Rows are compared with what is stored by ``import_data``, all at once.
    meta = type("Meta", (), {"model": model, "fields": list(columns), "skip_diff": True})
    members = {"serializer": serializer, "Meta": meta}
    base = EventResource if model is Event else ApiResource
    return type(f"{model.__name__}Resource", (base,), columns | members)


class ImageResource(ModelResource):
    """The details of images; they cannot be imported, since a table holds no pictures."""

    id = Column("id", "id")
    file = Column("file__url", "file")
    author = Column("author_id", "author")
    created = Column("created", "created")

    class Meta:
        model = Image
        fields = ["id", "title", "file", "width", "height", "filesize", "author", "created"]

    def __init__(self, request, admin):
        super().__init__()


def _written(value):
    match value:
        case None:
            return ""
        case dict():
            return json.dumps(value, ensure_ascii=False) if value else ""
        case dt.datetime():
            return stamp(value)
        case Manager():
            return ", ".join(str(_name(record)) for record in value.all())
        case _:
            return value


def _name(record):
    """Return a term's slug, unless it could be read as an ID; the ID of other records."""
    is_named = isinstance(record, Term) and whole_number(record.slug) is None
    return record.slug if is_named else record.pk


def _is_name(text):
    """Return whether a cell names one venue or organizer: else it has IDs, or nothing."""
    if not isinstance(text, str) or is_blank(text):
        return False
    return any(whole_number(part.strip()) is None for part in text.split(","))


@contextmanager
def _row_errors():
    """Turn errors of the API into errors of the row, by column where the API names one."""
    try:
        yield
    except (CalendarError, ApiError) as e:
        refusal = as_calendar_error(e)
        params = refusal.data.get("params")
        if isinstance(params, list):  # the names of those that are missing
            details = refusal.data.get("details", {})
            wrong = {name: each["message"] for name, each in details.items()}
            params = dict.fromkeys(params, "The table has no such column.") | wrong
        raise ValidationError(params if isinstance(params, dict) else refusal.message) from e
