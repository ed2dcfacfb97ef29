"""Request bodies: JSON, and forms whose keys may be PHP arrays (``venue[venue]=Hall``)."""

import re

import orjson
import qs_codec
from django.http import QueryDict
from rest_framework import parsers
from rest_framework.exceptions import ParseError

from ..conf import conf
from ..exceptions import CalendarError

# The default of PHP. The time that qs_codec needs grows with the square of the number.
MAX_FIELDS = 1000
MAX_INDEX = 500  # qs_codec creates a list as long as the greatest index of each key
MAX_BRACKETS = 5  # pairs in a key
FORM_OPTIONS = qs_codec.DecodeOptions(
    depth=MAX_BRACKETS, list_limit=MAX_INDEX, parameter_limit=MAX_FIELDS
)
BRACKETS = re.compile(r"\[([^\[\]]*)\]")
MAX_LEVELS = 50  # of nested lists and objects; Python's recursion fails at some hundreds
MAX_CONTAINERS = 100_000  # lists and objects: each takes 30 times the memory of its brackets


class TooLarge(CalendarError):
    code, status = "rest_payload_too_large", 413

    def __init__(self, limit):
        super().__init__(f"The body is larger than the limit of {limit} bytes.")


class FormError(CalendarError):
    code = "rest_invalid_form"


class JSONParser(parsers.JSONParser):
    def parse(self, stream, media_type=None, parser_context=None):
        body = read_within(stream, conf.MAX_BODY_BYTES)
        if body.count(b"[") + body.count(b"{") > MAX_CONTAINERS:
            raise ParseError(f"The body has more than {MAX_CONTAINERS} lists and objects.")
        try:
            data = orjson.loads(body)
        except orjson.JSONDecodeError as e:
            raise ParseError(f"The body is not valid JSON: {e}.") from e
        if not isinstance(data, dict):
            raise ParseError("The body must be a JSON object, with parameter names as its keys.")
        if is_deeper(data, MAX_LEVELS):
            raise ParseError(f"The body is nested more than {MAX_LEVELS} levels deep.")
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
    """Return the form's values as dicts and lists, following its PHP array keys."""
    values = {key: form.getlist(key) for key in form}
    if sum(map(len, values.values())) > MAX_FIELDS:
        raise FormError(f"The form has more than {MAX_FIELDS} fields.")
    for key in values:
        require_bounded(key)
    flat = {key: value[0] if len(value) == 1 else value for key, value in values.items()}
    return qs_codec.decode(flat, FORM_OPTIONS)


def require_bounded(key: str):
    """Raise FormError for a key that would create very long or very deep lists."""
    inside = BRACKETS.findall(key)
    if len(inside) > MAX_BRACKETS:
        raise FormError(f"The key '{key[:50]}…' has more than {MAX_BRACKETS} pairs of brackets.")
    for place in inside:
        if place.isdecimal() and (len(place) > 9 or int(place) > MAX_INDEX):
            raise FormError(f"The key '{key[:50]}' has an index greater than {MAX_INDEX}.")


def is_deeper(data, levels):
    """Return whether lists and dicts are nested more than levels deep."""
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
