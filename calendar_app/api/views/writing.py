"""How views write: for real or as a dry run, and once for each Idempotency-Key.

The key is a header of draft-ietf-httpapi-idempotency-key-header.
"""

import json
import re
from functools import wraps
from hashlib import blake2b

import orjson
from rest_framework.response import Response

from ...exceptions import CalendarError, InvalidParams
from ...services import idempotency
from ...services.actor import acting
from ...services.revision import writing
from ..errors import shown
from ..filters.fields import BOOLEANS
from ..renderers import JSONRenderer

# A string of RFC 9651; or bare, as most clients send it.
QUOTED = re.compile(r'"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])+)"')
BARE = re.compile(r'[^\x00-\x20",;\\\x7f-\U0010ffff]+')
MAX_KEY_LENGTH = 255


class DryRun(Exception):
    """Undoes a write, of which only the response remains."""

    def __init__(self, response):
        self.response = response


class InvalidKey(CalendarError):
    code = "rest_invalid_idempotency_key"


class WritingMixin:
    """Views that write. ``carry_out`` wraps what they do inside the transaction."""

    is_dry_run = False
    claimed = None  # the idempotency key of this request

    def carry_out(self, write):
        """Return the response of write(), which stores something, or undo it in a dry run."""
        if not (self.is_dry_run or self.claimed):
            return write()
        with writing(precise=True):
            return self.finish(write())

    def finish(self, response):
        """Return the response of a write, inside its transaction, once it is kept for its key."""
        if self.is_dry_run:
            raise DryRun(response)
        if self.claimed:
            body = JSONRenderer().render(response.data).decode()
            idempotency.keep(self.claimed, response.status_code, body)
        return response

    def body(self):
        """Return the parsed body. Raises InvalidParams for parameters that belong to the query."""
        data = self.request.data
        if misplaced := [name for name in self.query_flags if name in data]:
            sentence = "{0} belongs to the query string of the URL: ?{0}=1."
            raise InvalidParams({name: sentence.format(name) for name in misplaced})
        return data

    query_flags = ("dry_run",)


def writes(view):
    """Decorate a method of a WritingMixin that writes, so that it supports ``dry_run``."""

    @wraps(view)
    def decorated(self, request, *args, **kwargs):
        self.is_dry_run = flag(request, "dry_run")
        try:
            with acting(request.user, "API"):
                return view(self, request, *args, **kwargs)
        except DryRun as e:
            e.response.headers["X-Dry-Run"] = "true"
            return e.response

    return decorated


def creates(view):
    """Decorate a method as ``writes`` does; it also answers a repeated request as the first."""

    @writes
    @wraps(view)
    def decorated(self, request, *args, **kwargs):
        key = key_of(request)
        if key is None or self.is_dry_run:
            return view(self, request, *args, **kwargs)
        claimed = idempotency.claim(request.user, key, fingerprint(request))
        if claimed.status is not None:
            repeated = {"Idempotent-Replayed": "true"}
            return Response(orjson.loads(claimed.body), claimed.status, headers=repeated)
        self.claimed = claimed
        try:
            return view(self, request, *args, **kwargs)
        except BaseException:
            idempotency.release(claimed)
            raise

    return decorated


def flag(request, name):
    """Return whether the query sets a flag. Raises InvalidParams for a value that is not clear."""
    values = request.query_params.getlist(name)
    for value in values:
        if value.lower() not in BOOLEANS:
            accepted = "true, false, 1, 0, yes or no"
            raise InvalidParams({name: f"{name} must be {accepted}, not {shown(value)}."})
    return any(BOOLEANS[value.lower()] for value in values)


def key_of(request):
    """Return the request's Idempotency-Key, None without one. Raises InvalidKey for a wrong one."""
    header = request.headers.get("Idempotency-Key")
    if header is None:
        return None
    header = header.strip()
    if found := QUOTED.fullmatch(header):
        key = re.sub(r"\\(.)", r"\1", found[1])
    elif BARE.fullmatch(header):
        key = header
    else:
        raise InvalidKey(
            "The header Idempotency-Key must be one string of ASCII characters, as "
            f"'\"8e03978e-40d5-43e8-bc93-6894a57f9324\"', not {shown(header)}."
        )
    if len(key) > MAX_KEY_LENGTH:
        raise InvalidKey(
            f"The header Idempotency-Key accepts at most {MAX_KEY_LENGTH} characters, "
            f"not {len(key)}."
        )
    return key


def fingerprint(request):
    """Return a hash of what a request asks for: its path, its parameters and its body.

    The body is hashed as it was understood: the boundaries of a form differ each time it is sent.
    """
    query = sorted(request.query_params.lists())
    parts = [request.method, request.path, query, request.data]
    return _hash(json.dumps(parts, sort_keys=True, default=_described).encode())


def _described(file):
    content = _hash(b"".join(file.chunks()))
    file.seek(0)
    return [file.name, content]


def _hash(data):
    return blake2b(data, digest_size=32).hexdigest()
