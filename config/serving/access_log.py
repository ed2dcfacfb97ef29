"""Gives each request an ID, and writes a line about it into the log."""

import logging
import re
import time
import uuid

from django.conf import settings
from django.core.signals import request_finished
from django.dispatch import receiver

from config.logins.authentication import address
from config.serving.logs import request_id

HEADER = "X-Request-ID"
SANE_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")

logger = logging.getLogger(__name__)


def with_request_id(get_response):
    """Middleware that gives each request an ID, which the answer and all log lines carry."""

    def middleware(request):
        begin = time.monotonic()
        request_id.set(_id_of(request))
        response = get_response(request)
        response[HEADER] = request_id.get()
        details = {
            "client": address(request),
            "method": request.method,
            "path": request.path,  # without the query, which may hold passwords
            "status": response.status_code,
            "milliseconds": round((time.monotonic() - begin) * 1000),
        }
        logger.info(
            "%(client)s %(method)s %(path)s %(status)s, %(milliseconds)s ms",
            details,
            extra={"details": details},
        )
        return response

    return middleware


@receiver(request_finished)
def forget_id(**kwargs):
    # Not the middleware: Django logs refusals and faults when that has returned.
    request_id.set(None)


def _id_of(request):
    """Return the ID that our own proxy gave the request, or a new one."""
    given = request.headers.get(HEADER, "")
    return given if settings.BEHIND_PROXY and SANE_ID.fullmatch(given) else uuid.uuid4().hex
