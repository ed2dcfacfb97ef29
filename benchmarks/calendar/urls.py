from django.urls import include, path

from .plain import PlainEventViewSet

urlpatterns = [
    path("plain/events", PlainEventViewSet.as_view({"get": "list"})),
    path("", include("config.urls")),
]
