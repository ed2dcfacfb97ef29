"""The routes of the operations, each with and without a slash at its end."""

from django.urls import URLPattern, re_path, register_converter
from django.urls.resolvers import RoutePattern

from .converters import NumberConverter
from .errors import unknown
from .views import jobs

register_converter(NumberConverter, "number")


class Route(RoutePattern):
    """A route that a slash may follow, described once."""

    def match(self, path):
        return super().match(path.removesuffix("/"))


ROUTES = {
    "status/<number:job_id>": jobs.status,
}
urlpatterns = [
    URLPattern(Route(route, view.operation.name, is_endpoint=True), view, name=view.operation.name)
    for route, view in ROUTES.items()
]
urlpatterns.append(re_path("", unknown))
