"""The base of all views: formats, errors, and how requests are read."""

import re

from django.http import QueryDict
from django.utils.cache import patch_vary_headers
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.permissions import IsAuthenticatedOrReadOnly
from rest_framework.response import Response
from rest_framework.views import APIView

from ...conf import conf
from ...exceptions import Forbidden
from .. import errors
from ..openapi import CalendarAutoSchema
from ..parsers import FormParser, JSONParser, MultiPartParser, TooLarge
from ..renderers import POLICY, JSONRenderer, Negotiation
from ..representations.urls import Urls

ARRAY_KEY = re.compile(r"\A([^\[\]]+)\[\d*\]\Z")
OVERRIDES = {"PUT", "PATCH", "DELETE"}


class CalendarView(APIView):
    parser_classes = [JSONParser, FormParser, MultiPartParser]
    renderer_classes = [JSONRenderer]
    content_negotiation_class = Negotiation
    permission_classes = [IsAuthenticatedOrReadOnly]  # permissions.py has the rest
    schema = CalendarAutoSchema()
    max_body_bytes = None

    def initialize_request(self, request, *args, **kwargs):
        override = request.headers.get("X-HTTP-Method-Override", "").upper()
        if request.method == "POST" and override in OVERRIDES:
            request.method = override
        request.GET = without_array_keys(request.GET)
        return super().initialize_request(request, *args, **kwargs)

    def initial(self, request, *args, **kwargs):
        self.urls = Urls.of(request)
        limit = self.max_body_bytes or conf.MAX_BODY_BYTES
        length = request.META.get("CONTENT_LENGTH") or "0"
        if not length.isdecimal() or int(length) > limit:
            raise TooLarge(limit)
        super().initial(request, *args, **kwargs)

    def perform_authentication(self, request):
        super().perform_authentication(request)
        if request.headers.get("Authorization") and not request.successful_authenticator:
            raise AuthenticationFailed("The Authorization header must use the Basic scheme.")

    def check_permissions(self, request):
        if request.method in self.allowed_methods:  # otherwise the response is 405 for everyone
            super().check_permissions(request)

    def permission_denied(self, request, message=None, code=None):
        refuse(request.user, "make changes")

    def options(self, request, *args, **kwargs):
        return Response({"methods": self.allowed_methods})

    def get_exception_handler(self):
        return errors.handle

    def handle_exception(self, exc):
        response = super().handle_exception(exc)
        # Errors are JSON even if the client asked for iCalendar.
        self.request.accepted_renderer = JSONRenderer()
        self.request.accepted_media_type = JSONRenderer.media_type
        return response

    def finalize_response(self, request, response, *args, **kwargs):
        response = super().finalize_response(request, response, *args, **kwargs)
        fields = ",".join(request.GET.getlist("_fields"))
        data = getattr(response, "data", None)
        if fields and isinstance(data, dict) and response.status_code < 400:
            response.data = trimmed(data, fields)
        return self.with_policy(response)

    def with_policy(self, response):
        """Return response with the headers that all responses have."""
        response.headers.setdefault("Content-Security-Policy", POLICY)
        patch_vary_headers(response, ["Authorization", "Cookie", "Accept"])
        return response

    def require(self, allowed, action):
        """Raise Forbidden unless allowed: 401 for anonymous users, 403 for others."""
        if not allowed:
            refuse(self.request.user, action)


def refuse(user, action):
    """Raise Forbidden with a sentence on action, such as "create events"."""
    if user.is_authenticated:
        raise Forbidden(f"You may not {action}.")
    error = Forbidden(f"Log in to {action}.")
    error.status, error.auth_header = 401, 'Basic realm="api"'
    raise error


def without_array_keys(query: QueryDict):
    """Return query with PHP's ``categories[]`` and ``categories[0]`` as ``categories``."""
    if not any("[" in key for key in query):
        return query
    plain = QueryDict(mutable=True)
    for key, values in query.lists():
        found = ARRAY_KEY.match(key)
        plain.setlistdefault(found[1] if found else key).extend(values)
    plain._mutable = False
    return plain


def trimmed(data, fields):
    """Return data reduced to the comma-separated, dotted paths in fields, also inside lists."""
    tree = {}
    for path in filter(None, (field.strip() for field in fields.split(","))):
        branch = tree
        for step in path.split(".")[:10]:
            branch = branch.setdefault(step, {})
    return _pick(data, tree)


def _pick(data, tree):
    if not tree:
        return data
    if isinstance(data, list):
        return [_pick(item, tree) for item in data]
    if not isinstance(data, dict):
        return data
    return {key: _pick(value, tree[key]) for key, value in data.items() if key in tree}
