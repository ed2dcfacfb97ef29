"""Fields that accept the forms in which clients write a value.

null, "" and [] clear an optional field, and are errors in a required one.
"""

import math
import re
from datetime import UTC
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError as NotValid
from django.core.validators import validate_email
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from ...conf import conf
from ...values import cost, dates, html, slugs, time_zones
from ..errors import shown

MAX_ID = 2**63 - 1
MAX_HTML_LENGTH = 250_000  # characters: half a thick book; sanitizing takes time
NOT_IN_URLS = re.compile(r'[\s<>"\x00-\x20\x7f]')


def is_blank(data):
    """Return whether data is one of the forms of an empty value: null, "", blanks, []."""
    return data is None or data == [] or (isinstance(data, str) and not data.strip())


def whole_number(data):
    """Return data as an int from 0 to the greatest ID of a database; None if it is not one."""
    if isinstance(data, str):
        data = data.strip()
        data = int(data) if data.isascii() and data.isdigit() and len(data) < 20 else None
    is_number = isinstance(data, int) and not isinstance(data, bool)
    return data if is_number and 0 <= data <= MAX_ID else None


class Clearable:
    """A field whose value is `cleared` for null, "" and []."""

    cleared = ""

    def __init__(self, **kwargs):
        if "cleared" in kwargs:
            self.cleared = kwargs.pop("cleared")
        # For the OpenAPI description: run_validation accepts null.
        kwargs.setdefault("allow_null", not kwargs.get("required", True))
        super().__init__(**kwargs)

    default_error_messages = {"blank": "{name} cannot be empty."}

    def run_validation(self, data=serializers.empty):
        if not is_blank(data):
            return super().run_validation(data)
        if self.required:
            self.fail("blank")
        return self.cleared

    def fail(self, key, value=None, **kwargs):
        super().fail(key, **{"name": self.field_name, "value": shown(value), **kwargs})


def decoded(field, text):
    """Return text with its HTML character references decoded, as many clients write them.

    The text that the record has already stays unchanged, so that the response of GET can be sent
    back, and so does all text in a context with ``texts_are_plain``.
    """
    record = getattr(field.parent, "instance", None)
    is_unchanged = record is not None and text == getattr(record, field.source, None)
    return text if is_unchanged or field.context.get("texts_are_plain") else html.decoded(text)


class TextField(Clearable, serializers.CharField):
    """One line of plain text."""

    default_error_messages = {
        "invalid": "{name} must be text, not {value}.",
        "blank": "{name} cannot be empty.",
        "max_length": "{name} accepts at most {max_length} characters, not {count}.",
        "null_characters": "{name} contains a NUL character.",
    }

    def __init__(self, **kwargs):
        super().__init__(allow_blank=not kwargs.get("required", True), **kwargs)

    def to_internal_value(self, data):
        if isinstance(data, (bool, dict, list)):
            self.fail("invalid", data)
        text = super().to_internal_value(data)
        if "\0" in text:
            self.fail("null_characters")
        # Before cleaning, which is slow for long texts, and after it, which may lengthen the text.
        self.require_length(text)
        cleaned = self.clean(text)
        if self.required and not cleaned:
            self.fail("blank")
        self.require_length(cleaned)
        return cleaned

    def require_length(self, text):
        if self.max_length is not None and len(text) > self.max_length:
            self.fail("max_length", max_length=self.max_length, count=len(text))

    def clean(self, text):
        return html.plain_text(decoded(self, text))


class HtmlField(TextField):
    """Text that may contain HTML, which is sanitized."""

    def __init__(self, **kwargs):
        super().__init__(max_length=MAX_HTML_LENGTH, **kwargs)

    def clean(self, text):
        return html.rich_text(text)


class PasswordField(TextField):
    """A password as it is typed."""

    def clean(self, text):
        return text


class SlugField(TextField):
    """The readable part of a URL; made from the name if empty."""

    default_error_messages = {
        "no_letters": "{name} needs at least one letter or digit; {value} has none.",
    }

    def clean(self, text):
        slug = slugs.slug_of(decoded(self, text))
        if not slug:
            self.fail("no_letters", text)
        return slug


class BooleanField(Clearable, serializers.BooleanField):
    default_error_messages = {"invalid": "{name} must be true or false, not {value}."}

    def to_internal_value(self, data):
        value = super().to_internal_value(data)
        # DRF reads "null" in a form as None.
        return self.cleared if value is None else value

    def fail(self, key, input=None, **kwargs):  # noqa: A002 the name that DRF gives
        super().fail(key, input, **kwargs)


class StatusField(Clearable, serializers.ChoiceField):
    """A status; an empty one is ignored."""

    default_error_messages = {"invalid_choice": "{name} must be one of {known}, not {value}."}

    def run_validation(self, data=serializers.empty):
        if is_blank(data):
            raise serializers.SkipField
        return super().run_validation(data)

    def fail(self, key, input=None, **kwargs):  # noqa: A002 the name that DRF gives
        super().fail(key, input, known=", ".join(self.choices), **kwargs)


@extend_schema_field({"type": "string", "maxLength": 2000, "pattern": "^https?://"})
class WebAddressField(TextField):
    """An absolute http(s) URL."""

    default_error_messages = {
        "not_absolute": "{name} must be an absolute URL, http:// or https://, not {value}.",
    }

    def clean(self, text):
        if not is_web_address(text):
            self.fail("not_absolute", text)
        return text


def is_web_address(text):
    """Return whether text is an absolute http(s) URL; its host may be on a private network."""
    try:
        url = urlsplit(text)
        return bool(
            url.scheme in {"http", "https"}
            and url.hostname
            and url.port != 0
            and not NOT_IN_URLS.search(text)
        )
    except ValueError:
        return False


class EmailField(TextField, serializers.EmailField):
    default_error_messages = {
        "invalid": TextField.default_error_messages["invalid"],
        "not_email": "{name} must be an email address such as 'name@example.org', not {value}.",
    }

    def clean(self, text):
        try:
            validate_email(text)
        except NotValid:
            self.fail("not_email", text)
        # Django accepts control characters in quotes, which no line of iCalendar may contain.
        if not text.isprintable():
            self.fail("not_email", text)
        return text


@extend_schema_field({"type": "string"})
class DateField(Clearable, serializers.Field):
    """A date in one of the forms of `dates`, kept as text until its time zone is known."""

    default_error_messages = {"invalid": "{name} cannot be read: {problem}"}

    def to_internal_value(self, data):
        if isinstance(data, bool) or not isinstance(data, (str, int)):
            self.fail("invalid", problem=f"{shown(data)} is not a date; {dates.ACCEPTED}")
        text = str(data)
        self.wall(text, UTC)
        return text

    def wall(self, text, zone):
        """Return the date that text means, as naive local time in zone."""
        try:
            return dates.wall(text, zone)
        except dates.DateError as e:
            self.fail("invalid", problem=e)


@extend_schema_field({"type": "string"})
class ZoneField(TextField):
    """The name of a time zone; the site's if empty."""

    def clean(self, text):
        try:
            return time_zones.canonical(text)
        except time_zones.ZoneError as e:
            raise serializers.ValidationError(str(e)) from e


@extend_schema_field(
    {
        "oneOf": [
            {"type": "string"},
            {"type": "number"},
            {"type": "array", "items": {"oneOf": [{"type": "string"}, {"type": "number"}]}},
        ]
    }
)
class CostField(Clearable, serializers.Field):
    """A cost as a text, a number or a list of these; its value is the full form.

    The text that GET shows for several amounts leaves the cost unchanged.
    """

    default_error_messages = {
        "null_characters": TextField.default_error_messages["null_characters"],
    }

    def to_internal_value(self, data):
        if any("\0" in str(part) for part in (data if isinstance(data, list) else [data])):
            self.fail("null_characters")
        record = getattr(self.parent, "instance", None)
        if record and data == cost.parse(record.cost, **conf.currency).text:
            return record.cost
        parts = [
            decoded(self, part) if isinstance(part, str) else part
            for part in (data if isinstance(data, list) else [data])
        ]
        try:
            return cost.parse(parts, **conf.currency).full
        except cost.CostError as e:
            raise serializers.ValidationError(str(e)) from e


class CoordinateField(Clearable, serializers.FloatField):
    """Degrees; the model checks the range."""

    cleared = None
    default_error_messages = {"invalid": "{name} must be a number of degrees, not {value}."}

    def __init__(self, *, most, **kwargs):
        super().__init__(**kwargs)
        degrees = {"type": "number", "format": "double", "minimum": -most, "maximum": most}
        extend_schema_field(degrees)(self)

    def to_internal_value(self, data):
        if isinstance(data, bool) or not isinstance(data, (str, int, float)):
            self.fail("invalid", data)
        try:
            degrees = float(data)
        except ValueError:
            self.fail("invalid", data)
        if not math.isfinite(degrees):
            self.fail("invalid", data)
        return degrees


@extend_schema_field({"type": "object", "additionalProperties": True})
class CustomFieldsField(Clearable, serializers.Field):
    """An object of any JSON values, within limits."""

    MAX_DEPTH = 10
    MAX_VALUES = 1000
    cleared = {}
    default_error_messages = {
        "invalid": "{name} must be a JSON object.",
        "too_large": f"{{name}} accepts at most {MAX_VALUES} values in {MAX_DEPTH} levels.",
        "null_characters": TextField.default_error_messages["null_characters"],
        "too_great": "{value} in {name} does not fit into 64 bits.",
    }

    def to_internal_value(self, data):
        if not isinstance(data, dict):
            self.fail("invalid")
        level, count = [data], 0
        for _ in range(self.MAX_DEPTH):
            level = [inner for value in level for inner in self._inside(value)]
            count += len(level)
            if count > self.MAX_VALUES:
                break
            if not level:
                return data
        return self.fail("too_large")

    def _inside(self, value):
        """Return the values nested directly in value, after checking value itself."""
        match value:
            case dict():
                for name in value:
                    self._inside(name)
                return value.values()
            case list():
                return value
            case str():
                if "\0" in value:
                    self.fail("null_characters")
            # PostgreSQL stores 1e300 as an integer of 300 digits. "not <=" because every comparison
            # with NaN is False.
            case int() | float() if not abs(value) <= MAX_ID:
                self.fail("too_great", value)
        return ()
