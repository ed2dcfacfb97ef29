"""Routes of the public pages, which a project includes at the path that it chooses."""

from django.urls import re_path

from . import views

app_name = "calendar_pages"


def page(kind, view):
    # Only the characters of slugs, so that no others reach the database.
    return re_path(rf"^{kind}/(?P<slug>[-\w]+)/$", view, name=kind)


urlpatterns = [
    page("event", views.event),
    page("venue", views.venue),
    page("organizer", views.organizer),
    page("category", views.category),
    page("tag", views.tag),
]
