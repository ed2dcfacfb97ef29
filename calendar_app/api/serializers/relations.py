"""Fields that refer to other records.

Validation checks the form of a value only. ``find`` looks up the record during the save, behind the
lock of all writers: what was found then still exists when it is used.
"""

from django.contrib.auth import get_user_model
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from ...conf import conf
from ...models import Image
from ...services import images, links
from ...values import names
from .fields import Clearable, TextField, is_blank, is_web_address, whole_number

ID = {"type": "integer", "minimum": 0}
TEXT = {"type": "string"}


def named_by(key):
    """Return the schema of an object that refers to a record by its ID, or by a text at key."""
    kinds = {"id": {"type": "integer", "minimum": 1}, key: {"type": "string", "minLength": 1}}
    forms = [{"properties": {name: kind}, "required": [name]} for name, kind in kinds.items()]
    return {"type": "object", "anyOf": forms}


def one_or_many(key):
    """Return the schema of one ID, text or object, or a list of them."""
    one = [ID, TEXT, named_by(key)]
    return {"oneOf": [{"type": "array", "items": {"oneOf": one}}, *one]}


def found(serializer, data):
    """Return data with records in place of the values that refer to them, and errors by field.

    A field that refers to an unknown record is missing from data and has an error instead.
    """
    errors, known = {}, dict(data)
    for field in serializer.fields.values():
        if isinstance(field, RecordField) and field.source in data:
            try:
                known[field.source] = field.find(data[field.source])
            except serializers.ValidationError as e:
                errors[field.field_name] = e.detail
                del known[field.source]
    return known, errors


class RecordField(Clearable, serializers.Field):
    """The ID of a record of `model`, or 0 for none."""

    cleared = None
    default_error_messages = {
        "invalid": "{name} must be {accepted}, not {value}.",
        "unknown": "{name} refers to the {kind} {value}, which does not exist.",
    }

    def __init__(self, model, **kwargs):
        self.model = model
        super().__init__(**kwargs)

    @property
    def user(self):
        return self.context["request"].user

    @property
    def accepted(self):
        return f"the ID of one of the {self.model._meta.verbose_name_plural}"

    def fail(self, key, value=None, **kwargs):
        known = {"accepted": self.accepted, "kind": self.model._meta.verbose_name}
        super().fail(key, value, **known | kwargs)

    def to_internal_value(self, data):
        return self.read_id(data) or None

    def read_id(self, data):
        """Return data as an ID or 0. Raises ValidationError."""
        number = whole_number(data)
        if number is None:
            self.fail("invalid", data)
        return number

    def find(self, value):
        """Return the record that a validated value refers to. Raises ValidationError."""
        return self.records([value])[value] if value else None

    def records(self, ids):
        """Return the records with these IDs, as {ID: record}. Raises ValidationError."""
        known = links.by_ids(self.model, ids, self.user)
        for pk in ids:
            if pk not in known:
                self.fail("unknown", pk)
        return known


@extend_schema_field(ID)
class ParentField(RecordField):
    """The parent, a record of the same model."""


@extend_schema_field(ID)
class AuthorField(RecordField):
    def __init__(self, **kwargs):
        super().__init__(get_user_model(), **kwargs)


@extend_schema_field({"oneOf": [ID, TEXT, named_by("url"), {"type": "boolean", "enum": [False]}]})
class ImageField(RecordField):
    """An image by its ID, by a URL to fetch it from, or as the object that GET returns.

    Its value is an Image, the URL of one to fetch, None, or False, which GET returns for none.
    """

    accepted = "the ID of an image, an absolute URL, or false"

    def __init__(self, **kwargs):
        super().__init__(Image, **kwargs)

    def to_internal_value(self, data):
        if isinstance(data, dict):
            data = data.get("id") or data.get("url") or None
        if data is None or data is False:
            return data
        # The form of false in a form.
        if isinstance(data, str) and data.lower() == "false":
            return False
        if isinstance(data, str) and whole_number(data) is None:
            return self._url(data)
        return self.read_id(data) or None

    def find(self, value):
        return value if value is False or isinstance(value, str) else super().find(value)

    def _url(self, text):
        """Return the ID of this site's image at this URL, or the URL of one that may be fetched."""
        if not is_web_address(text):
            self.fail("invalid", text)
        own = images.by_url(text, self.context["urls"].base)
        try:
            return own.pk if own else self._checked(text)
        except images.ImageError as e:
            raise serializers.ValidationError(e.message) from e

    def _checked(self, text):
        known = self.context
        return images.check_url(text, known.get("trusted", ""), known.get("lookups_until"))


class ManyField(RecordField):
    """Several records: one value, a comma-separated string, or a list of values."""

    cleared = ()
    default_error_messages = {"too_many": "{name} accepts at most {most} values, not {count}."}

    def to_internal_value(self, data):
        values = as_list(data)
        if len(values) > conf.MAX_LINKS:
            self.fail("too_many", most=conf.MAX_LINKS, count=len(values))
        return each(self.read, values)

    def read(self, value):
        """Return one of the values as an ID, or in another form that ``find`` understands."""
        raise NotImplementedError


class LinkedField(ManyField):
    """Venues or organizers: by ID, or as objects in the form of `serializer`.

    An object with an ``id`` refers to that record; any other is found by its name, or created.
    """

    def __init__(self, serializer, **kwargs):
        self.serializer = serializer
        super().__init__(serializer.model, **kwargs)
        extend_schema_field(one_or_many(serializer.model._meta.model_name))(self)

    @property
    def accepted(self):
        return f"{super().accepted}, or an object with the fields of one"

    def read(self, value):
        if not isinstance(value, dict):
            return self.read_id(value)
        if value.get("id"):
            return self.read_id(value["id"])
        inline = self.serializer(data=value, context=self.context)
        inline.is_valid(raise_exception=True)
        return inline

    def find(self, value):
        known = self.records([item for item in value if isinstance(item, int)])
        return each(lambda item: known[item] if isinstance(item, int) else item.save(), value)


@extend_schema_field(one_or_many("name"))
class TermsField(ManyField):
    """Categories or tags: by ID, by name (an unknown one is created), or as GET returns them."""

    accepted = "an ID, a name, or an object with an id or a name"

    def read(self, value):
        if isinstance(value, dict) and value.get("id"):
            return self.read_id(value["id"])
        if isinstance(value, dict):
            return self._name(value.get("name"), value)
        number = whole_number(value)
        return self._name(value, value) if number is None else number

    def find(self, value):
        known = self.records([item for item in value if isinstance(item, int)])
        wanted = [item for item in value if isinstance(item, str)]
        named = links.terms_by_name(self.model, wanted, self.user)
        return [known[i] if isinstance(i, int) else named[names.key(i)] for i in value]

    def _name(self, name, value):
        if not isinstance(name, str):
            self.fail("invalid", value)
        field = TextField(max_length=self.model._meta.get_field("name").max_length)
        field.bind(self.field_name, self)
        return field.run_validation(name)


def as_list(data):
    """Return the values of a list, a comma-separated string or a single value; drop blank ones."""
    if isinstance(data, str):
        data = [part.strip() for part in data.split(",")]
    values = data if isinstance(data, list) else [data]
    return [value for value in values if not is_blank(value)]


def each(convert, values):
    """Return all values converted; errors inside an object are listed at its place."""
    converted, errors = [], {}
    for place, value in enumerate(values):
        try:
            converted.append(convert(value))
        except serializers.ValidationError as e:
            if not isinstance(e.detail, dict):
                raise
            errors[place] = e.detail
    if errors:
        raise serializers.ValidationError([errors.get(n, {}) for n in range(len(values))])
    return converted
