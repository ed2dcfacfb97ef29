"""The routes of the API; each works with and without a trailing slash.

A project includes them with ``path("calendar/events/v1", include("calendar_app.urls"))``.
"""

from django.urls import include, path, re_path

from .api.views.bulk import EventBulkViewSet
from .api.views.events import EventViewSet
from .api.views.images import ImageViewSet
from .api.views.linked import OrganizerViewSet, VenueViewSet
from .api.views.namespace import DocumentationView, NamespaceView, NoRouteView
from .api.views.terms import CategoryViewSet, TagViewSet

app_name = "calendar_app"

COLLECTION = {"get": "list", "post": "create"}
RECORD = {
    "get": "retrieve",
    "post": "post_update",
    "put": "update",
    "patch": "partial_update",
    "delete": "destroy",
}


def both(address, view, name, **actions):
    """Return a route without a trailing slash, and one with it, which OpenAPI omits."""
    yield path(address, view.as_view(**actions), name=name)
    yield path(f"{address}/", view.as_view(**actions, schema=None))


def resource(viewset, *addresses):
    """Return the routes of a collection and of its records, by each kind of address."""
    name = viewset.collection
    yield from both(name, viewset, f"{name}-list", actions=COLLECTION)
    for address, kind in addresses:
        yield from both(f"{name}/{address}", viewset, f"{name}-{kind}", actions=RECORD)


by_id, by_slug = ("<int:pk>", "detail"), ("by-slug/<str:slug>", "by-slug")

routes = [
    path("", NamespaceView.as_view(schema=None)),
    *both("doc", DocumentationView, "doc"),
    *both("events/bulk", EventBulkViewSet, "events-bulk", actions={"post": "bulk"}),
    *resource(EventViewSet, by_id, by_slug),
    *resource(VenueViewSet, by_id, by_slug),
    *resource(OrganizerViewSet, by_id, by_slug),
    *resource(CategoryViewSet, by_id),
    *resource(TagViewSet, by_id),
    *both("images", ImageViewSet, "images-list", actions={"post": "create"}),
    *both("images/<int:pk>", ImageViewSet, "images-detail", actions={"get": "retrieve"}),
]
urlpatterns = [
    path("", NamespaceView.as_view(), name="namespace"),
    path("/", include(routes)),
    re_path("", NoRouteView.as_view(), name="no-route"),
]
