"""The columns of exports and imports: the writable fields of the API, under its names."""

import datetime as dt
import json
from contextlib import contextmanager
from functools import cache

from django.core.exceptions import ValidationError
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
from ...models import Image, Term

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

    def import_data(self, dataset, *args, **kwargs):
        self.headers = set(dataset.headers or ())
        return super().import_data(dataset, *args, **kwargs)

    def get_import_fields(self):
        """Return all possible columns, or those of the imported file, which the preview shows."""
        fields = super().get_import_fields()
        if self.headers is None:
            return fields
        return [field for field in fields if field.column_name in self.headers]

    def get_queryset(self):
        return self.admin.get_queryset(self.request).prefetch_related(None)

    def get_instance(self, instance_loader, row):
        given = row.get("id")
        if is_blank(given):
            return None
        record = self.get_queryset().filter(pk=whole_number(given)).first()
        if record is None:
            raise ValidationError(
                {"id": f"There is no {self.admin.opts.verbose_name} {shown(given)}."}
            )
        return record

    def import_instance(self, instance, row, **kwargs):
        self._require_right(instance)
        self.row = self.serializer(
            instance if instance.pk else None,
            data=self._data(row),
            partial=instance.pk is not None,
            context={"request": self.request, "urls": Urls.of(self.request)},
        )
        with _row_errors():
            self.row.is_valid(raise_exception=True)

    def _data(self, row):
        """Return the row as a request's body; in a table, custom fields are JSON text."""
        data, text = dict(row), row.get("custom_fields")
        if isinstance(text, str) and not is_blank(text):
            try:
                data["custom_fields"] = json.loads(text)
            except ValueError as e:
                raise ValidationError({"custom_fields": f"{shown(text)} is not JSON: {e}."}) from e
        for name, field in self.serializer().fields.items():
            if isinstance(field, LinkedField) and _is_name(text := row.get(name)):
                data[name] = [{name: text.strip()}]
        return data

    def do_instance_save(self, instance, is_create):
        with _row_errors():
            instance.pk = self.row.save().pk
        instance.refresh_from_db()

    def _require_right(self, instance):
        # Who may import may add.
        if instance.pk and not self.admin.has_change_permission(self.request, instance):
            raise ValidationError(
                {"id": f"You may not change {self.admin.opts.verbose_name} {instance.pk}."}
            )


@cache
def resource_of(serializer):
    """Return a resource whose columns are the fields of serializer."""
    model, fields = serializer.model, serializer().fields.items()
    columns = {"id": Column("id", "id")} | {
        name: Column(model._meta.get_field(field.source).attname, name)
        for name, field in fields
        if not field.write_only and name not in EXCLUDED
    }
    meta = type("Meta", (), {"model": model, "fields": list(columns)})
    members = {"serializer": serializer, "Meta": meta}
    return type(f"{model.__name__}Resource", (ApiResource,), columns | members)


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
        raise ValidationError(params if isinstance(params, dict) else refusal.message) from e
