"""The index of the namespace, its OpenAPI description, and the response to unknown paths."""

from django.urls import reverse
from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from ...exceptions import NotFound
from .. import namespace
from .base import CalendarView


class NamespaceView(CalendarView):
    @extend_schema(
        operation_id="namespace",
        summary="List the routes",
        description="The routes of this namespace, with the methods and arguments of each.",
        parameters=[
            namespace.text_parameter(
                "namespace", namespace.NAMESPACE, "Accepted for WordPress clients; ignored."
            ),
            namespace.text_parameter("context", "view", "Accepted for WordPress clients; ignored."),
        ],
        responses=namespace.OBJECT,
    )
    def get(self, request):
        root = reverse("calendar_app:namespace")
        return Response(namespace.index(root, self.urls.absolute))


class DocumentationView(CalendarView):
    @extend_schema(
        operation_id="documentation",
        summary="Get the OpenAPI description",
        description="This namespace in OpenAPI 3, as JSON.",
        responses=namespace.OBJECT,
    )
    def get(self, request):
        root = reverse("calendar_app:namespace")
        return Response(namespace.openapi(root))


@extend_schema(exclude=True)
class NoRouteView(CalendarView):
    """Responds with 404 to every method on a path without a route."""

    def initial(self, request, *args, **kwargs):
        raise NotFound(f"No route matches '{request.path}'.")

    def get(self, request):
        raise NotImplementedError  # initial() raises first

    post = put = patch = delete = get
