"""What every operation accepts, and fields that DRF lacks: PHP's lists, paths, dates."""

from datetime import datetime

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from ...conf import conf
from ...lib import paths

BIGGEST = 2**63 - 1  # the largest ID that a database has
LONGEST_PLACE = 19  # digits; shorter indexes fit into 64 bits
LONGEST_SHOWN = 50  # characters of a value that is refused
FORMAT = "%Y-%m-%d %H:%M:%S"


class ParameterList(serializers.ListField):
    """A list as JSON sends it, or as a form does: ``name[0]=``, ``name[]=``, one bare value."""

    default_error_messages = {"too_many": "There are {count} items, more than the limit of {most}."}

    def get_value(self, dictionary):
        return dictionary.get(self.field_name, serializers.empty)

    def to_internal_value(self, data):
        if isinstance(data, dict) and all(is_place(str(key)) for key in data):
            data = [data[key] for key in sorted(data, key=int)]
        elif not isinstance(data, list | dict):
            data = [data] if data != "" else []
        if isinstance(data, list) and len(data) > conf.MAX_PATHS:
            self.fail("too_many", count=len(data), most=conf.MAX_PATHS)
        return super().to_internal_value(data)


def is_place(key):
    """Return whether the key of a form's member is its place in a list."""
    return key.isdecimal() and len(key) < LONGEST_PLACE


PATH = {"type": "string", "maxLength": 4096, "pattern": r"^/[^\x00]*$"}


@extend_schema_field(PATH)
class PathField(serializers.CharField):
    """An absolute path of a client, as bytes; spaces are significant."""

    default_error_messages = {
        "relative": "'{path}' is not an absolute path.",
        "null_character": "A path cannot contain a NUL.",
    }

    def __init__(self, **kwargs):
        super().__init__(trim_whitespace=False, max_length=4096, **kwargs)

    def to_internal_value(self, data):
        text = super().to_internal_value(data)
        path = paths.rooted(text.encode()) if text else b""
        if path is None:
            self.fail("relative", path=text)
        if b"\0" in path:
            # DRF's own check for NUL does not work on bytes.
            self.fail("null_character")
        return path

    def to_representation(self, value):
        return paths.shown(value)


@extend_schema_field(PATH)
class PathTextField(serializers.CharField):
    """A path of a client, as text; spaces are significant."""

    def __init__(self, **kwargs):
        super().__init__(trim_whitespace=False, max_length=4096, **kwargs)


class FolderField(PathField):
    """A folder; ``/`` if it is missing or empty."""

    def __init__(self, **kwargs):
        super().__init__(required=False, allow_blank=True, default=paths.ROOT, **kwargs)

    def run_validation(self, data=serializers.empty):
        return paths.normalized(super().run_validation(data) or paths.ROOT)


class OptionalTextField(serializers.CharField):
    """A text that need not be given; forms send an empty one for that."""

    def __init__(self, help_text, *, max_length=100, **kwargs):
        kwargs |= {"required": False, "allow_blank": True}
        super().__init__(max_length=max_length, help_text=help_text, **kwargs)


class NumberField(serializers.IntegerField):
    """A whole number; forms send an empty text for one that is not given."""

    default_error_messages = {
        "min_value": "%(show_value)s is less than {min_value}.",
        "max_value": "%(show_value)s is more than {max_value}.",
    }

    def run_validation(self, data=serializers.empty):
        if data == "" and not self.required:
            data = None if self.allow_null else serializers.empty
        return super().run_validation(data)

    def to_internal_value(self, data):
        try:
            return super().to_internal_value(data)
        except serializers.ValidationError:
            value = str(data)[:LONGEST_SHOWN]
            raise serializers.ValidationError(f"'{value}' is not a whole number.") from None


class IdField(NumberField):
    """A number that the database could have given to a record."""

    def __init__(self, **kwargs):
        super().__init__(min_value=1, max_value=BIGGEST, **kwargs)


@extend_schema_field(
    {
        "type": "string",
        "pattern": r"^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$",
        "example": "2030-01-31 23:59:59",
    }
)
class TimeField(serializers.DateTimeField):
    """``Y-m-d H:i:s`` in the server's zone, as an aware datetime."""

    default_error_messages = {"format": "'{value}' is not a date-time such as 2030-01-31 23:59:59."}

    def to_internal_value(self, value):
        try:
            naive = datetime.strptime(str(value), FORMAT)  # noqa: DTZ007 - the server's, below
            return timezone.make_aware(naive)
        except (ValueError, OverflowError):
            self.fail("format", value=value)


@extend_schema_field({"type": "integer", "minimum": 1})
class LimitField(NumberField):
    """The length of a page, at most BACKUP_MAX_PAGE_SIZE."""

    def __init__(self, default_is, **kwargs):
        limit = f"Maximum number of records to return; {default_is} by default."
        super().__init__(required=False, min_value=1, help_text=limit, **kwargs)

    def to_internal_value(self, data):
        return min(super().to_internal_value(data), conf.MAX_PAGE_SIZE)


class OffsetField(NumberField):
    def __init__(self, **kwargs):
        super().__init__(
            required=False,
            default=0,
            min_value=0,
            max_value=BIGGEST,
            help_text="Number of records to skip.",
            **kwargs,
        )


class Options(serializers.Serializer):
    """Parameters of an operation; unknown ones are ignored."""

    subuser = OptionalTextField(
        "Login of a subuser: limits the operation to the clients granted to it."
    )
