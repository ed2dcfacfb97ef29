"""Request bodies: JSON, and forms whose keys may be PHP arrays (``include[0][path]=/etc``)."""

import re
from itertools import islice
from urllib.parse import parse_qsl

import orjson
import qs_codec
from rest_framework import parsers
from rest_framework.exceptions import ParseError

from ..conf import conf
from ..exceptions import TooLarge

# qs_codec returns lists with indexes as {"0": ..., "1": ...}, which ParameterList accepts.
MAX_FIELDS = MAX_INDEX = 25_000  # well above BACKUP_MAX_PATHS
MAX_BRACKETS = 5  # in a key
FORM_OPTIONS = qs_codec.DecodeOptions(depth=MAX_BRACKETS, list_limit=0, parameter_limit=MAX_FIELDS)
BRACKETS = re.compile(r"\[([^\[\]]*)\]")
AT_ONCE = 100  # keys: qs_codec takes time quadratic in their number
MAX_LEVELS = 50  # of nested lists and objects; Python's recursion fails at some hundreds
MAX_CONTAINERS = 100_000  # lists and objects: each takes 30 times the memory of its brackets


class JSONParser(parsers.JSONParser):
    def parse(self, stream, media_type=None, parser_context=None):
        body = read_within_limit(stream)
        if not body.strip():
            return {}
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
        text = read_within_limit(stream).decode("utf-8", "replace")
        try:
            pairs = parse_qsl(
                text, keep_blank_values=True, errors="replace", max_num_fields=MAX_FIELDS
            )
        except ValueError as e:
            raise ParseError(f"The form has more than {MAX_FIELDS} fields.") from e
        return nested(pairs)


class MultiPartParser(parsers.MultiPartParser):
    def parse(self, stream, media_type=None, parser_context=None):
        parsed = super().parse(stream, media_type, parser_context)
        return nested((key, value) for key in parsed.data for value in parsed.data.getlist(key))


def nested(pairs):
    """Return a form's (key, value) pairs as dicts and lists, following its PHP array keys."""
    values = {}
    for key, value in pairs:
        values.setdefault(key, []).append(value)
    for key in values:
        require_bounded(key)
    flat = {key: found[0] if len(found) == 1 else found for key, found in values.items()}
    keys, found = iter(flat), {}
    while some := {key: flat[key] for key in islice(keys, AT_ONCE)}:
        merge(found, qs_codec.decode(some, FORM_OPTIONS))
    return found


def require_bounded(key: str):
    """Raise ParseError for a key that would make very long or deep lists."""
    inside = BRACKETS.findall(key)
    if len(inside) > MAX_BRACKETS:
        raise ParseError(f"The key '{key[:50]}…' has more than {MAX_BRACKETS} pairs of brackets.")
    for place in inside:
        if place.isdecimal() and (len(place) > 9 or int(place) > MAX_INDEX):
            raise ParseError(f"The key '{key[:50]}' has an index greater than {MAX_INDEX}.")


def merge(found, more):
    """Put nested dicts into others; of two values that are not both dicts the later one stays."""
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(found.get(key), dict):
            merge(found[key], value)
        else:
            found[key] = value


def is_deeper(data, levels):
    """Return whether lists and dicts are nested more than ``levels`` deep."""
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


def require_readable(headers):
    """Raise TooLarge or ParseError for the headers of a body that would not be read.

    Otherwise its parameters would be missed, and with them that the request is for a subuser only.
    """
    length = headers.get("CONTENT_LENGTH") or ""
    if length.isdecimal() and int(length[:20]) > conf.MAX_BODY_BYTES:
        raise too_large()
    if not length and headers.get("HTTP_TRANSFER_ENCODING"):
        raise ParseError("The body is sent in chunks. Send it with its Content-Length.")
    if (encoding := headers.get("HTTP_CONTENT_ENCODING", "identity")) != "identity":
        raise ParseError(f"The body is encoded as '{encoding}'. Send it unencoded.")


def read_within_limit(stream):
    body = stream.read(conf.MAX_BODY_BYTES + 1)
    if len(body) > conf.MAX_BODY_BYTES:
        raise too_large()
    return body


def too_large():
    return TooLarge(f"The body is larger than the {conf.MAX_BODY_BYTES} bytes that are accepted.")
