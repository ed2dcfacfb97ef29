"""Request bodies: JSON, and forms whose keys may be PHP arrays (``venue[venue]=Hall``)."""

import orjson
import qs_codec
from django.http import QueryDict
from rest_framework import parsers
from rest_framework.exceptions import ParseError

from .conf import conf
from .exceptions import CalendarError

# A list as long as its greatest index is made for each key, so that one is not to be large.
FORM_OPTIONS = qs_codec.DecodeOptions(depth=5, list_limit=500, parameter_limit=20_000)
MOST_LEVELS = 50  # of lists and objects inside each other; Python itself fails at some hundreds


class TooLarge(CalendarError):
    code, status = "rest_payload_too_large", 413

    def __init__(self, limit):
        super().__init__(f"The body is larger than the {limit} bytes that are accepted.")


class JSONParser(parsers.JSONParser):
    def parse(self, stream, media_type=None, parser_context=None):
        body = read_within(stream, conf.MAX_BODY_BYTES)
        try:
            data = orjson.loads(body)
        except orjson.JSONDecodeError as e:
            raise ParseError(f"The body is not valid JSON: {e}.") from e
        if not isinstance(data, dict):
            raise ParseError("The body must be a JSON object, with parameter names as its keys.")
        if is_deeper(data, MOST_LEVELS):
            raise ParseError(f"The body is nested more than {MOST_LEVELS} levels deep.")
        return data


class FormParser(parsers.FormParser):
    def parse(self, stream, media_type=None, parser_context=None):
        body = read_within(stream, conf.MAX_BODY_BYTES)
        return nested(QueryDict(body, encoding="utf-8"))


class MultiPartParser(parsers.MultiPartParser):
    def parse(self, stream, media_type=None, parser_context=None):
        parsed = super().parse(stream, media_type, parser_context)
        return nested(parsed.data) | parsed.files.dict()


def nested(form: QueryDict):
    """Return the form's values as dicts and lists, as its PHP array keys ask for."""
    values = {key: form.getlist(key) for key in form}
    flat = {key: value[0] if len(value) == 1 else value for key, value in values.items()}
    return qs_codec.decode(flat, FORM_OPTIONS)


def is_deeper(data, levels):
    """Say whether lists and dicts stand inside each other on more levels than these."""
    level = [data]
    for _ in range(levels):
        level = [inner for value in level for inner in _inside(value)]
    return any(isinstance(value, dict | list) for value in level)


def _inside(value):
    match value:
        case dict():
            return value.values()
        case list():
            return value
    return ()


def read_within(stream, limit):
    body = stream.read(limit + 1)
    if len(body) > limit:
        raise TooLarge(limit)
    return body
