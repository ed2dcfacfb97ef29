"""The base of all answers, and the fields that DRF lacks for them.

One declaration makes an answer from a record, or from a dict with the same names, and describes it.
A field that is not required is left out where it has no value.
"""

import base64
from functools import cache, cached_property
from operator import attrgetter, itemgetter

from rest_framework import serializers

from ...lib import paths
from ...lib.formatting import format_time, format_timestamp

# Their values need no conversion to JSON.
PLAIN = {
    serializers.BooleanField,
    serializers.CharField,
    serializers.ChoiceField,
    serializers.IntegerField,
}


class Answer(serializers.Serializer):
    # No docstring: the description of the API would repeat it for each answer.

    @classmethod
    def represent(cls, record):
        """Return what the fields say of a record, or of a dict, as a dict of JSON values."""
        return _instance(cls).to_representation(record)

    def to_representation(self, instance):
        answer = {}
        get = itemgetter if isinstance(instance, dict) else attrgetter
        for name, read, represent, is_required in self._readers[get]:
            value = read(instance)
            if represent and value is not None:
                value = represent(value)
            if value is not None or is_required:
                answer[name] = value
        return answer

    # DRF looks up how to read each field again for each record, which doubles the time of a list.
    @cached_property
    def _readers(self):
        return {
            get: [
                (name, _reader(get, *field.source_attrs), _representation(field), field.required)
                for name, field in self.fields.items()
            ]
            for get in (itemgetter, attrgetter)
        }


@cache
def _instance(answer_class):
    # Creating a serializer takes longer than representing a record with it.
    return answer_class()


def _reader(get, name=None, *names):
    """Return a function that follows a field's ``source``, or to None where it is interrupted."""
    if name is None:
        return lambda record: record
    if not names:
        return get(name)
    read, follow = get(name), attrgetter(".".join(names))
    return lambda record: None if (found := read(record)) is None else follow(found)


def _representation(field):
    return None if type(field) in PLAIN else field.to_representation


class StoredJSON(serializers.Serializer):
    # A value that is answered as it is stored; without a docstring, as Answer.

    def to_representation(self, instance):
        return instance


class LocalTimeField(serializers.CharField):
    """A time as text, in the server's zone."""

    def __init__(self, **kwargs):
        super().__init__(help_text="Y-m-d H:i:s in the server's zone.", **kwargs)

    to_representation = staticmethod(format_time)


class TimestampField(LocalTimeField):
    """Seconds since 1970 as text; null outside the years 1 to 9999."""

    to_representation = staticmethod(format_timestamp)


class BytesField(serializers.CharField):
    """A name or path as text, with U+FFFD for bytes that are not UTF-8."""

    to_representation = staticmethod(paths.shown)


class RawPathField(serializers.CharField):
    """The bytes of a path in Base64 where they are not UTF-8; otherwise left out."""

    def __init__(self, **kwargs):
        super().__init__(source="path", required=False, **kwargs)

    def to_representation(self, value):
        if value.isascii():  # nearly all
            return None
        try:
            value.decode()
        except UnicodeDecodeError:
            return base64.b64encode(value).decode()
        return None
