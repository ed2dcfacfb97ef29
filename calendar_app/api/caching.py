"""Conditional requests (RFC 9110, section 13) and the cache of responses to the public.

A response to an anonymous user follows from the request, the revision, the settings, and for lists
the time at which they last changed by themselves. A hash of these is its cache key and its
ETag, so that a client that has it is answered without looking at a record. Responses to others
depend on the user's rights too, which no revision counts: their ETag is a hash of their bytes.
"""

import datetime as dt
import functools
from hashlib import blake2b
from pathlib import Path

from django.core.cache import cache
from django.core.signals import setting_changed
from django.http import HttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, parse_http_date_safe
from rest_framework.exceptions import APIException
from rest_framework.request import Request

from ..conf import conf
from ..services import revision
from ..values import dates
from .representations import Urls

APP = Path(__file__).parents[1]
# Every unknown parameter makes another key, so a response must fit into memory many times.
MAX_CACHED_BYTES = 500_000


class ConditionalMixin:
    """Views whose responses to GET have ETag and Last-Modified, and may be 304.

    What is known of a request of the public is answered before REST framework reads it, which takes
    a third of the time. ``depends_on_time`` says that the response changes with time, without any
    write, and ``is_provisional`` that it will change soon, so that it is not kept.
    """

    depends_on_time = False
    is_provisional = False

    def dispatch(self, request, *args, **kwargs):
        if request.method not in {"GET", "HEAD"}:
            return super().dispatch(request, *args, **kwargs)
        self.revision = revision.current()
        self.changed_at = self._changed_at(request.GET)
        self.is_public = self._is_public(request)
        key = self._key(request) if self.is_public else None
        if key and (answer := self._known(request, key)):
            return answer
        response = super().dispatch(request, *args, **kwargs)
        if self.is_provisional:
            response["Cache-Control"] = "no-store"
        elif response.status_code == 200:
            response.add_post_render_callback(lambda rendered: self._finish(request, rendered, key))
        return response

    def _key(self, request):
        accepted = request.headers.get("Accept", "")
        # Only of an accepted calendar does a response depend, not on how a browser says the rest.
        accepted = accepted if "calendar" in accepted else ""
        query = request.META.get("QUERY_STRING", "")
        # Loading a fixture may reset the stamp.
        state = fingerprint(), self.revision.stamp, self.revision.changed_at, self.changed_at
        parts = *state, *self.variant(), Urls.of(request).base, request.path, query, accepted
        # Its ETag tells the revision, so that a client is never answered from an earlier one.
        return f"calendar:answer:{_hash(repr(parts).encode())}-{self.revision.stamp}"

    def variant(self):
        """Return what else the response depends on, as a tuple of values with a ``repr``."""
        return ()

    def _is_public(self, request):
        """Return whether the response is for everyone; one to a password never is."""
        is_named = "Authorization" in request.headers
        if is_named or "password" in request.GET or not conf.CACHE_SECONDS:
            return False
        try:
            user = Request(request, authenticators=self.get_authenticators()).user
        except APIException:
            return False  # and raised again where it is answered
        return not user.is_authenticated

    def _known(self, request, key):
        """Return the kept response to a request, or 304 to a client that has it; or None."""
        if _etag(key) in request.headers.get("If-None-Match", ""):
            # It was sent with a 200 for the same request, which therefore is known to be valid.
            known = self.with_policy(HttpResponse(headers=self._validators(key)))
            if (answer := _not_modified_or(request, known)) is not known:
                return answer
        if kept := cache.get(key):
            return _not_modified_or(request, HttpResponse(kept["content"], headers=kept["headers"]))
        return None

    def _finish(self, request, response, key):
        for name, value in self._validators(key, response.content).items():
            response[name] = value
        if key and len(response.content) <= MAX_CACHED_BYTES:
            kept = {"content": response.content, "headers": dict(response.headers)}
            cache.set(key, kept, conf.CACHE_SECONDS)
        return _not_modified_or(request, response)

    def _validators(self, key, content=b""):
        """Return the headers by which a client can ask later whether a response has changed."""
        return {
            "ETag": _etag(key) if key else f'"{_hash(content)}"',
            "Last-Modified": http_date(self.changed_at.timestamp()),
            "Cache-Control": f"{'public' if key else 'private'}, no-cache",
        }

    def _changed_at(self, query):
        """Return when the response last changed: by a write, or as time went by."""
        changed = self.revision.changed_at
        if not self.depends_on_time:
            return changed
        now = timezone.now().astimezone(conf.zone)
        if self.depends_on_now(query):
            return max(changed, now.replace(second=0, microsecond=0))
        return max(changed, dt.datetime.combine(now.date(), dt.time(), now.tzinfo))

    def depends_on_now(self, query):
        """Return whether the response may change from minute to minute, not only daily."""
        values = (value for _, found in query.lists() for value in found)
        is_upcoming = any("only_with_upcoming" in name for name in query)
        return is_upcoming or any(map(dates.is_relative, values))


@functools.cache
def fingerprint():
    """Return a hash of what answers depend on besides the data: the app's code and the settings."""
    code = [path.read_bytes() for path in sorted(APP.rglob("*.py"))]
    return _hash(b"".join([*code, repr(conf.all()).encode()]))


def forget_fingerprint(**kwargs):
    """Signal receiver: read the settings anew, as when a test overrides them."""
    fingerprint.cache_clear()


setting_changed.connect(forget_fingerprint)


def _etag(key):
    return f'"{key.rpartition(":")[2]}"'


def _hash(data):
    return blake2b(data, digest_size=16).hexdigest()


def _not_modified_or(request, response):
    modified = response.get("Last-Modified")
    last_modified = parse_http_date_safe(modified) if modified else None
    return get_conditional_response(
        request, etag=response["ETag"], last_modified=last_modified, response=response
    )
