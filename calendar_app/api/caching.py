"""Conditional requests (RFC 9110, section 13) and the cache of responses to the public.

A response's ETag is a hash of its bytes. Only responses to anonymous users are cached, since others
depend on the user's rights. The cache key contains the calendar's revision, so that a cached
response is never used after a write, and the current minute, for lists that depend on the time.
"""

import datetime as dt
from hashlib import blake2b

from django.core.cache import cache
from django.http import HttpResponse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.http import http_date, parse_http_date_safe

from ..conf import conf
from ..services import revision
from ..values import dates

CACHED_HEADERS = (
    "Content-Type", "Content-Disposition", "ETag", "Last-Modified", "Link",
    "X-TEC-Total", "X-TEC-TotalPages",
)  # fmt: skip
# Every unknown parameter makes another key, so a response must fit into memory many times.
MAX_CACHED_BYTES = 500_000


class ConditionalMixin:
    """Views whose responses to GET have ETag and Last-Modified, and may be 304.

    ``depends_on_time`` says that the response changes with time, without any write.
    """

    depends_on_time = False

    def conditional(self, request, build):
        """Return the response that build() makes, from the cache if possible; or 304."""
        self.revision = revision.current()
        key = self.cache_key("answer") if self._is_public(request) else None
        if key and (cached := cache.get(key)):
            response = HttpResponse(cached["content"], headers=cached["headers"])
            return _not_modified_or(request, response)
        response = build()
        response["Last-Modified"] = http_date(self._changed_at(request).timestamp())
        response.add_post_render_callback(lambda rendered: self._finish(request, rendered, key))
        return response

    def cache_key(self, name, without=()):
        """Return the cache key of what depends on this request and the state of the data only."""
        request = self.request
        query = [(k, v) for k, v in sorted(request.query_params.lists()) if k not in without]
        parts = (
            self.revision.stamp,
            self.revision.changed_at,  # loading a fixture may reset the stamp
            request.user.pk,
            self.urls.base,
            request.path,
            query,
            request.accepted_renderer.format,
            int(timezone.now().timestamp()) // 60,
        )
        return f"calendar:{name}:{blake2b(repr(parts).encode(), digest_size=20).hexdigest()}"

    def _is_public(self, request):
        protected = "password" in request.query_params
        return conf.CACHE_SECONDS and request.user.is_anonymous and not protected

    def _finish(self, request, response, key):
        if response.status_code != 200:
            return None
        response["ETag"] = f'"{blake2b(response.content, digest_size=16).hexdigest()}"'
        who = "public" if key else "private"
        response["Cache-Control"] = f"{who}, no-cache"
        if key and len(response.content) <= MAX_CACHED_BYTES:
            headers = {name: response[name] for name in CACHED_HEADERS if name in response}
            headers["Cache-Control"] = response["Cache-Control"]
            cached = {"content": response.content, "headers": headers}
            cache.set(key, cached, conf.CACHE_SECONDS)
        return _not_modified_or(request, response)

    def _changed_at(self, request):
        changed = self.revision.changed_at
        if not self.depends_on_time:
            return changed
        values = (value for _, found in request.query_params.lists() for value in found)
        now = timezone.now().astimezone(conf.zone)
        if "only_with_upcoming" in request.query_params or any(map(dates.is_relative, values)):
            return max(changed, now.replace(second=0, microsecond=0))
        return max(changed, dt.datetime.combine(now.date(), dt.time(), now.tzinfo))


def _not_modified_or(request, response):
    modified = response.get("Last-Modified")
    last_modified = parse_http_date_safe(modified) if modified else None
    return get_conditional_response(
        request, etag=response["ETag"], last_modified=last_modified, response=response
    )
