"""Request bodies: JSON, and forms whose keys may be PHP arrays (``venue[venue]=Hall``)."""

import re

import orjson
import qs_codec
from django.http import QueryDict
from rest_framework import parsers
from rest_framework.exceptions import ParseError

from ..conf import conf
from ..exceptions import CalendarError

# As many as PHP takes. The time that the library needs grows with the square of the number.
MOST_FIELDS = 1000
MOST_INDEX = 500  # a list as long as its greatest index is made for each key
MOST_BRACKETS = 5  # in a key
FORM_OPTIONS = qs_codec.DecodeOptions(
    depth=MOST_BRACKETS, list_limit=MOST_INDEX, parameter_limit=MOST_FIELDS
)
BRACKETS = re.compile(r"\[([^\[\]]*)\]")
MOST_LEVELS = 50  # of lists and objects inside each other; Python itself fails at some hundreds
MOST_CONTAINERS = 100_000  # lists and objects: each takes 30 times the memory of its brackets


class TooLarge(CalendarError):
    code, status = "rest_payload_too_large", 413

    def __init__(self, limit):
        super().__init__(f"The body is larger than the limit of {limit} bytes.")


class FormError(CalendarError):
    code = "rest_invalid_form"


class JSONParser(parsers.JSONParser):
    def parse(self, stream, media_type=None, parser_context=None):
        body = read_within(stream, conf.MAX_BODY_BYTES)
        if body.count(b"[") + body.count(b"{") > MOST_CONTAINERS:
            raise ParseError(f"The body has more than {MOST_CONTAINERS} lists and objects.")
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
    if sum(map(len, values.values())) > MOST_FIELDS:
        raise FormError(f"The form has more than {MOST_FIELDS} fields.")
    for key in values:
        require_bounded(key)
    flat = {key: value[0] if len(value) == 1 else value for key, value in values.items()}
    return qs_codec.decode(flat, FORM_OPTIONS)


def require_bounded(key: str):
    """Raise FormError for a key that stands for very long or very deep lists."""
    inside = BRACKETS.findall(key)
    if len(inside) > MOST_BRACKETS:
        raise FormError(f"The key '{key[:50]}…' has more than {MOST_BRACKETS} pairs of brackets.")
    for place in inside:
        if place.isdecimal() and (len(place) > 9 or int(place) > MOST_INDEX):
            raise FormError(f"The key '{key[:50]}' has an index greater than {MOST_INDEX}.")


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
