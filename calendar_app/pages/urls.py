"""Routes of the public pages, for a project to include where its pages begin."""

from django.urls import re_path

from . import views

app_name = "calendar_pages"


def page(kind, view):
    # The characters that a slug can have: no other ever reaches the database.
    return re_path(rf"^{kind}/(?P<slug>[-\w]+)/$", view, name=kind)


urlpatterns = [
    page("event", views.event),
    page("venue", views.venue),
    page("organizer", views.organizer),
    page("category", views.category),
    page("tag", views.tag),
]
