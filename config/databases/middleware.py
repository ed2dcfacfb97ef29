"""Chooses the database that a request reads.

Those who only read the calendar's API without a login read a replica, unless they have seen a
revision that no replica has yet: an answer to a write carries it in a header and in a cookie, and
other answers in their ETag. Whoever logs in reads the primary: their own writes are there at once,
and a right or a password that was taken away is not.
"""

import random
import re

from django.conf import settings
from django.db import Error, connections

from calendar_app.services import revision
from config.databases.replica import UNREADABLE, replicas
from config.databases.router import CALENDAR, replica_of_request

HEADER, COOKIE = "X-Calendar-Revision", "calendar_revision"
COOKIE_SECONDS = 60  # much longer than a replica that is used may be behind
NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
OF_ETAG = re.compile(r'-([0-9]{1,18})"', re.ASCII)


class ReplicaMiddleware:
    """Comes last, so that a view that fails on a replica is called again at once."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        token = replica_of_request.set(None)
        try:
            response = self.get_response(request)
        finally:
            replica_of_request.reset(token)
        if _is_calendar(request) and not _is_read(request) and response.status_code < 400:
            _tell_revision(response)
        return response

    def process_view(self, request, view, args, kwargs):
        if _is_calendar(request) and _is_read(request) and not _has_credentials(request):
            replica_of_request.set(_choose(_seen(request)))

    def process_exception(self, request, exception):
        """Answer from the primary when the replica fails, whatever has been read until then."""
        alias = replica_of_request.get()
        if alias is None or not isinstance(exception, Error):
            return None
        if not connections[alias].is_usable():
            replicas[alias].leave_out(UNREADABLE, exception)
        connections[alias].close()
        replica_of_request.set(None)
        view, args, kwargs = request.resolver_match
        return view(request, *args, **kwargs)


def _is_calendar(request):
    return request.resolver_match and CALENDAR in request.resolver_match.app_names


def _is_read(request):
    return request.method in {"GET", "HEAD"}


def _has_credentials(request):
    is_known = settings.SESSION_COOKIE_NAME in request.COOKIES
    # The password of an event may come as an array, in PHP's syntax.
    opens = any(name.startswith("password") for name in request.GET)
    return is_known or opens or "Authorization" in request.headers


def _seen(request):
    """Return the latest revision that the client says it has seen; 0 for none."""
    told = [request.headers.get(HEADER, ""), request.COOKIES.get(COOKIE, "")]
    etags = OF_ETAG.findall(request.headers.get("If-None-Match", ""))
    return max(map(int, [*filter(NUMBER.fullmatch, told), *etags]), default=0)


def _choose(seen):
    """Return the alias of a replica that has this revision, or None."""
    for replica in replicas.values():
        replica.follow()
    usable = [replica for replica in replicas.values() if not replica.fault]
    found = [replica.alias for replica in usable if replica.stamp >= seen]
    return random.choice(found) if found else None  # noqa: S311 - keeps no secret


def _tell_revision(response):
    stamp = str(revision.current().stamp)
    response[HEADER] = stamp
    response.set_cookie(
        COOKIE,
        stamp,
        max_age=COOKIE_SECONDS,
        path=settings.SESSION_COOKIE_PATH,
        secure=settings.HTTPS,
        httponly=True,
        samesite="Lax",
    )
