"""Turns the exceptions that views raise into the API's error body.

``{"error": sentence, "code": str, "fields": {name: [sentence]}}``
"""

import logging

from django.contrib.auth.decorators import login_not_required
from django.core.exceptions import RequestDataTooBig, SuspiciousOperation, TooManyFieldsSent
from django.http import JsonResponse
from django.views.decorators.csrf import csrf_exempt
from rest_framework import exceptions as drf
from rest_framework.response import Response
from rest_framework.views import set_rollback

from ..exceptions import BackupError, EngineError, Invalid, InvalidEngine, NotFound
from .parsers import MAX_FIELDS, too_large
from .renderers import HEADERS

logger = logging.getLogger(__name__)

CODES = {
    drf.ParseError: "invalid_body",
    drf.AuthenticationFailed: "wrong_credentials",
    drf.NotAuthenticated: "credentials_missing",
    drf.MethodNotAllowed: "method_not_allowed",
    drf.UnsupportedMediaType: "unsupported_media_type",
    drf.Throttled: "too_many_attempts",
}


def handle(exc, context):
    """Return the error response for an exception; None for an internal error, which is a 500."""
    refusal = to_backup_error(exc)
    if refusal is None:
        return None
    set_rollback()
    if refusal.fields:
        refusal.fields = by_parameter(refusal.fields, context["view"].operation.options)
    response = Response(body(refusal), status=refusal.status)
    for header, attribute in (("WWW-Authenticate", "auth_header"), ("Retry-After", "wait")):
        if value := getattr(exc, attribute, None):
            response[header] = str(value)
    for name, value in refusal.headers.items():
        response[name] = value
    return response


@csrf_exempt
@login_not_required
def not_found(request):
    """Answer a request to any address below the API without an operation."""
    refusal = NotFound(f"There is nothing at '{request.path}'.")
    return JsonResponse(body(refusal), status=404, headers=HEADERS)


def body(refusal: BackupError):
    return {"error": refusal.message, "code": refusal.code, "fields": refusal.fields}


def by_parameter(fields, serializer_class):
    """Return errors by the names of the parameters, not of the service's arguments."""
    names = {field.source: name for name, field in serializer_class().fields.items()}
    return {names.get(name, name): sentences for name, sentences in fields.items()}


def to_backup_error(exc):
    """Return exc as a BackupError; None for an internal error."""
    match exc:
        case BackupError():
            return exc
        case drf.APIException():
            return _of_rest_framework(exc)
        case InvalidEngine():
            logger.error("%s", exc)
            return EngineError(str(exc))
    return _of_django(exc)


def _of_rest_framework(exc):
    if isinstance(exc, drf.ValidationError):
        fields = dict(_flatten(exc.detail))
        said = [f"{name}: {said}" for name, sentences in fields.items() for said in sentences]
        return Invalid(fields, " ".join(said))
    refusal = BackupError(str(exc.detail))
    refusal.status, refusal.code = exc.status_code, CODES.get(type(exc), refusal.code)
    return refusal


def _of_django(exc):
    match exc:
        case RequestDataTooBig():
            return too_large()
        case TooManyFieldsSent():
            return BackupError(f"The form has more than {MAX_FIELDS} fields.")
        case SuspiciousOperation():
            return BackupError("The request cannot be understood.")
    return None


def _flatten(detail, name=""):
    """Yield (``include[0][path]``, [sentence]) for each list of errors in a nested detail."""
    if isinstance(detail, dict):
        for key, value in detail.items():
            inner = str(key) if not name else f"{name}[{key}]"
            yield from _flatten(value, name if key == "non_field_errors" else inner)
    else:
        yield name or "body", [str(error) for error in detail]
