"""The routes of the operations, each with and without a slash at its end."""

from django.urls import path, re_path, register_converter

from .converters import NumberConverter
from .errors import unknown
from .views import jobs

register_converter(NumberConverter, "number")

ROUTES = {
    "status/<number:job_id>": jobs.status,
}
urlpatterns = [
    path(f"{route}{slash}", view, name=view.operation.name if not slash else None)
    for route, view in ROUTES.items()
    for slash in ("", "/")
]
urlpatterns.append(re_path("", unknown))
