"""Filters of query parameters, each with its schema for the OpenAPI description."""

from copy import copy

from django.db.models import Exists, OuterRef, Q
from django_filters import filters
from django_filters.rest_framework import FilterSet
from drf_spectacular.utils import extend_schema_field

from ... import permissions
from ...models import Status
from . import fields

TEXT = {"type": "string", "minLength": 1, "pattern": r"\S"}
ID = {"type": "integer", "format": "int64", "minimum": 1}
# Without "format": Swagger UI has no input for lists of a format.
IDS = {
    "type": "array",
    "items": {"type": "integer", "minimum": 1, "maximum": fields.MAX_ID},
    "minItems": 1,
}


class Parameter(filters.Filter):
    """A filter with its ``help_text`` and ``default`` in the OpenAPI description.

    ``always`` says that it is applied even if its parameter is absent, ``modifies`` that only
    another parameter reads it.
    """

    field_class = fields.TextField
    schema = TEXT
    always = False

    def __init__(self, *args, help_text, default=None, schema=None, modifies=False, **kwargs):
        super().__init__(*args, help_text=help_text, **kwargs)
        self.modifies = modifies
        described = {**(schema or self.schema), "description": help_text}
        if default is not None:
            described["default"] = default
        extend_schema_field(described)(self)

    def __deepcopy__(self, memo):
        """Return a shallow copy for one request, which changes nothing that is shared."""
        twin = copy(self)
        twin.__dict__.pop("_field", None)
        return twin

    @property
    def user(self):
        return self.parent.request.user

    def filter(self, qs, value):
        return qs if self.modifies else super().filter(qs, value)


class BooleanParameter(Parameter):
    field_class = fields.BooleanField
    schema = {"type": "boolean"}


class NumberParameter(Parameter):
    field_class = fields.NumberField
    schema = {"type": "number", "format": "double"}

    def __init__(self, *args, least, most, **kwargs):
        schema = {**self.schema, "minimum": least, "maximum": most}
        super().__init__(*args, schema=schema, least=least, most=most, **kwargs)


class ChoiceParameter(Parameter):
    field_class = fields.ChoiceField

    def __init__(self, *args, choices, **kwargs):
        # Django-filter's own "choices" are pairs; these are plain texts, described as an enum.
        super().__init__(*args, schema={"type": "string", "enum": list(choices)}, **kwargs)
        self.accepted = choices

    @property
    def field(self):
        return self.field_class(label=self.label, choices=self.accepted)


class IdsParameter(Parameter):
    field_class = fields.IdsField
    schema = IDS


class RecordParameter(filters.QuerySetRequestMixin, Parameter):
    """The ID of a record in ``queryset``, which may be a function of the request."""

    field_class = fields.RecordField
    schema = ID


class RecordsParameter(RecordParameter):
    field_class = fields.RecordsField
    schema = IDS


class LinkedParameter(RecordsParameter):
    """Keeps what is linked, by the rows of ``through``, to any of the given records.

    A subquery, since a join would repeat rows. PostgreSQL plans it like EXISTS; SQLite starts from
    it, whereas it evaluates EXISTS for each event of the list in turn (``page_ids.py``).
    """

    def __init__(self, *args, through, column, **kwargs):
        super().__init__(*args, **kwargs)
        self.through, self.column = through, column

    def filter(self, qs, value):
        links = self.through.objects.filter(**{f"{self.column}__in": self.expanded(value)})
        if self.parent.walks:
            return qs.filter(Exists(links.filter(event=OuterRef("pk"))))
        return qs.filter(pk__in=links.values("event"))

    def expanded(self, ids):
        return ids


class TermsParameter(LinkedParameter):
    field_class = fields.TermsField
    schema = {"type": "array", "items": TEXT, "minItems": 1}


class StatusParameter(Parameter):
    """Keeps the records with one of the statuses that the caller may read; always applied.

    The default is all statuses except trash.
    """

    field_class = fields.StatusesField
    schema = {"type": "string", "pattern": "^({0})(,({0}))*$".format("|".join(Status.values))}
    always = True

    @property
    def field(self):
        writes = permissions.may_write(self.user, self.parent.queryset.model)
        allowed = Status.values if writes else [Status.PUBLISH.value]
        return self.field_class(label=self.label, choices=Status.values, allowed=allowed)

    def filter(self, qs, value):
        return qs.filter(self.readable(qs.model, self.statuses(value)))

    def statuses(self, value):
        """Return the set of statuses for a value of this parameter."""
        return set(value or set(Status.values) - {Status.TRASH})

    def readable(self, model, statuses):
        """Return the condition on records with one of statuses that the caller may read."""
        wanted = Q(status__in=sorted(statuses))  # the same SQL in each process
        if permissions.may_edit_others(self.user, model):
            return wanted
        public = Q(status=Status.PUBLISH) if Status.PUBLISH in statuses else Q(pk__in=())
        if permissions.may_write(self.user, model):
            return public | (wanted & Q(author=self.user))
        return public


class ListFilterSet(FilterSet):
    """A filterset with only the filters whose parameters are present, which saves time."""

    walks = False  # whether links are looked for event by event

    def __init__(self, data=None, *args, **kwargs):
        self.base_filters = {
            name: filter_
            for name, filter_ in type(self).base_filters.items()
            if filter_.always or name in (data or {})
        }
        super().__init__(data, *args, **kwargs)

    def walking(self):
        """Return the records of ``qs``, by a query that looks for links event by event."""
        self.walks = True
        return self.filter_queryset(self.queryset.all())

    @classmethod
    def get_filters(cls):
        found = super().get_filters()
        for name, filter_ in found.items():
            filter_.label = name
        return found
