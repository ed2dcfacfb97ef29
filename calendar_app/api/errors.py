"""Turns the exceptions that views raise into the API's error body.

``{"code": str, "message": str, "data": {"status": int, ...}}``
"""

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from rest_framework import exceptions as drf
from rest_framework.response import Response
from rest_framework.views import set_rollback

from ..conf import conf
from ..exceptions import CalendarError, InvalidParams
from .parsers import MAX_FIELDS, FormError, TooLarge

CODES = {
    drf.ParseError: "rest_invalid_json",
    drf.AuthenticationFailed: "rest_invalid_credentials",
    drf.NotAuthenticated: "rest_forbidden",
    drf.PermissionDenied: "rest_forbidden",
    drf.NotFound: "rest_no_route",
    drf.MethodNotAllowed: "rest_method_not_allowed",
    drf.UnsupportedMediaType: "rest_unsupported_media_type",
    drf.Throttled: "rest_too_many_requests",
}


def handle(exc, context):
    """Return the error response for an exception; None for an internal error, which is a 500."""
    error = as_calendar_error(exc)
    if error is None:
        return None
    set_rollback()
    response = Response(body(error), status=error.status)
    for header, attribute in (("WWW-Authenticate", "auth_header"), ("Retry-After", "wait")):
        if value := getattr(exc, attribute, None):
            response[header] = str(value)
    return response


def body(error: CalendarError):
    data = {"status": error.status, **error.data}
    return {"code": error.code, "message": error.message, "data": data}


def as_calendar_error(exc):
    """Return exc as a CalendarError; None for an exception that no bad request causes."""
    match exc:
        case CalendarError():
            return exc
        case drf.ValidationError():
            return _invalid(exc.detail)
        case RequestDataTooBig():
            return TooLarge(conf.MAX_BODY_BYTES)
        case TooManyFieldsSent():
            return FormError(f"The form has more than {MAX_FIELDS} fields.")
        case drf.APIException():
            error = CalendarError(_sentence(exc.detail), code=CODES.get(type(exc)))
            error.status = exc.status_code
            return error
    return None


def _invalid(detail):
    errors = dict(_flatten(detail))
    missing = [name for name, found in errors.items() if found[0].code == "required"]
    wrong = {name: " ".join(map(str, errors[name])) for name in errors if name not in missing}
    error = InvalidParams(wrong)
    if not missing:
        return error
    sentence = f"Missing parameter(s): {', '.join(missing)}"
    return CalendarError(
        f"{sentence}. {error.message}" if wrong else sentence,
        code="rest_missing_callback_param",
        params=missing,
        **({"details": error.data["details"]} if wrong else {}),
    )


def _flatten(detail, name=""):
    """Yield (``venue[0][website]``, [errors]) for each list of errors in a nested detail."""
    if isinstance(detail, dict):
        for key, value in detail.items():
            inner = key if not name else f"{name}[{key}]"
            yield from _flatten(value, name if key == "non_field_errors" else inner)
    elif detail and all(isinstance(error, drf.ErrorDetail) for error in detail):
        yield name or "body", detail
    else:
        for place, value in enumerate(detail):
            if value:
                yield from _flatten(value, f"{name}[{place}]")


def shown(value):
    """Return value as an error message quotes it: shortened, and a text in quotes."""
    text = value if isinstance(value, str) else repr(value)
    text = f"{text[:50]}…" if len(text) > 50 else text
    return f"'{text}'" if isinstance(value, str) else text


def _sentence(detail):
    return str(detail[0] if isinstance(detail, list) else detail)
