"""Answers to requests that fail outside an API's own views: JSON below the APIs, else a page."""

from http import HTTPStatus

from django.conf import settings
from django.core.exceptions import DisallowedHost, RequestDataTooBig
from django.http import HttpResponse, JsonResponse
from django.template.loader import render_to_string
from rest_framework.exceptions import Throttled

MESSAGES = {
    400: "The request cannot be understood.",
    403: "This request is refused.",
    404: "There is nothing at '{path}'.",
    413: "The body of the request is larger than this service accepts.",
    500: "The request failed because of an error in the service, which has been logged.",
}
CALENDAR_CODES = {
    400: "rest_invalid_request",
    403: "rest_forbidden",
    404: "rest_no_route",
    413: "rest_body_too_large",
    429: "rest_too_many_requests",
    500: "internal_server_error",
}
BACKUP_CODES = {
    400: "invalid",
    403: "forbidden",
    404: "not_found",
    413: "too_large",
    429: "too_many_attempts",
    500: "internal_error",
}


def bad_request(request, exception):
    """Return 400, or 413 for a body that is too large."""
    if isinstance(exception, DisallowedHost):
        host = request.META.get("HTTP_HOST", "")
        return _answer(request, 400, f"This service does not answer to the host name '{host}'.")
    return _answer(request, 413 if isinstance(exception, RequestDataTooBig) else 400)


def forbidden(request, exception):
    return _answer(request, 403)


def csrf_failure(request, reason=""):
    return _answer(request, 403, "This form is too old or came from another site. Load it again.")


def not_found(request, exception=None):
    return _answer(request, 404)


def server_error(request):
    return _answer(request, 500)


class ThrottledMiddleware:
    """Answers 429 where a page, such as the login, raises Throttled; the APIs do so themselves."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        return self.get_response(request)

    def process_exception(self, request, exception):
        if not isinstance(exception, Throttled):
            return None
        response = _answer(request, exception.status_code, str(exception.detail))
        response["Retry-After"] = str(exception.wait)
        return response


def _answer(request, status, message=None):
    message = message or MESSAGES[status].format(path=request.path)
    path = request.path_info.removeprefix(f"/{settings.BASE_PATH}").lstrip("/") + "/"
    if path.startswith("calendar/"):
        body = {"code": CALENDAR_CODES[status], "message": message, "data": {"status": status}}
        return JsonResponse(body, status=status)
    if path.startswith("api/"):
        body = {"error": message, "code": BACKUP_CODES[status], "fields": {}}
        return JsonResponse(body, status=status)
    # Without the request, whose user may be unreadable.
    context = {"title": HTTPStatus(status).phrase, "message": message, "base": settings.BASE_PATH}
    return HttpResponse(render_to_string("error.html", context), status=status)
