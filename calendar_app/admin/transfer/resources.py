"""The columns of exports and imports: the fields that the API writes, under the API's names."""

import datetime as dt
import json
from contextlib import contextmanager
from functools import cache

from django.core.exceptions import ValidationError
from django.db.models import Manager
from import_export.fields import Field
from import_export.resources import ModelResource
from rest_framework.exceptions import ValidationError as ApiError

from ...api.errors import as_refusal
from ...api.representations import Urls
from ...api.representations.times import stamp
from ...api.serializers.fields import is_blank, shown, whole_number
from ...exceptions import CalendarError
from ...models import Image, Term

MAX_ROWS = 1000  # an import holds the lock of all writers; the commands take larger ones
LEFT_OUT = {"date_utc"}  # date says the same


class Column(Field):
    """A value in the form in which the API reads it back."""

    def export(self, instance, **kwargs):
        return _written(self.get_value(instance))


class ApiResource(ModelResource):
    """Stores rows through ``serializer``, for the user of ``request`` and by the admin's rights.

    A row with an ``id`` changes that record, by the columns that are there; one without makes one.
    """

    serializer = None
    headers = None  # the columns of the table that is being imported

    def __init__(self, request, admin):
        super().__init__()
        self.request, self.admin = request, admin

    def import_data(self, dataset, *args, **kwargs):
        self.headers = set(dataset.headers or ())
        return super().import_data(dataset, *args, **kwargs)

    def get_import_fields(self):
        """Return the columns that there can be, or that there are: the preview shows these."""
        fields = super().get_import_fields()
        if self.headers is None:
            return fields
        return [field for field in fields if field.column_name in self.headers]

    def get_queryset(self):
        return self.admin.get_queryset(self.request).prefetch_related(None)

    def before_import(self, dataset, **kwargs):
        if len(dataset) > MAX_ROWS:
            raise ValidationError(f"The file has {len(dataset)} rows; {MAX_ROWS} are accepted.")

    def get_instance(self, instance_loader, row):
        given = row.get("id")
        if is_blank(given):
            return None
        record = self.get_queryset().filter(pk=whole_number(given)).first()
        if record is None:
            raise ValidationError({"id": f"{shown(given)} is not the ID of one that is there."})
        return record

    def import_instance(self, instance, row, **kwargs):
        self._require_right(instance)
        self.row = self.serializer(
            instance if instance.pk else None,
            data=_data(row),
            partial=instance.pk is not None,
            context={"request": self.request, "urls": Urls.of(self.request)},
        )
        with _refusals():
            self.row.is_valid(raise_exception=True)

    def do_instance_save(self, instance, is_create):
        with _refusals():
            instance.pk = self.row.save().pk
        instance.refresh_from_db()

    def _require_right(self, instance):
        if instance.pk is None:
            if not self.admin.has_add_permission(self.request):
                raise ValidationError("You may not add any.")
        elif not self.admin.has_change_permission(self.request, instance):
            raise ValidationError({"id": f"You may not change {instance.pk}."})


@cache
def resource_of(serializer):
    """Return the resource whose columns are the fields of serializer."""
    model, fields = serializer.model, serializer().fields.items()
    columns = {"id": Column("id", "id")} | {
        name: Column(model._meta.get_field(field.source).attname, name)
        for name, field in fields
        if not field.write_only and name not in LEFT_OUT
    }
    meta = type("Meta", (), {"model": model, "fields": list(columns)})
    members = {"serializer": serializer, "Meta": meta}
    return type(f"{model.__name__}Resource", (ApiResource,), columns | members)


class ImageResource(ModelResource):
    """What is known of images; there is no import, since a table holds no pictures."""

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
    """Return what names record in a list: a term's slug, unless that would be taken for an ID."""
    is_named = isinstance(record, Term) and whole_number(record.slug) is None
    return record.slug if is_named else record.pk


def _data(row):
    """Return the row as the body of a request: a table holds custom fields as JSON text."""
    data, text = dict(row), row.get("custom_fields")
    if isinstance(text, str) and not is_blank(text):
        try:
            data["custom_fields"] = json.loads(text)
        except ValueError as e:
            raise ValidationError({"custom_fields": f"{shown(text)} is not JSON: {e}."}) from e
    return data


@contextmanager
def _refusals():
    """Turn what the API refuses into the errors of a row, by column where it names any."""
    try:
        yield
    except (CalendarError, ApiError) as e:
        refusal = as_refusal(e)
        params = refusal.data.get("params")
        raise ValidationError(params if isinstance(params, dict) else refusal.message) from e
