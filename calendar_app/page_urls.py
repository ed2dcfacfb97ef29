"""Routes of the public pages, for a project to include where its pages begin."""

from django.urls import re_path

from . import pages

app_name = "calendar_pages"


def page(kind, view):
    # The characters that a slug can have: no other ever reaches the database.
    return re_path(rf"^{kind}/(?P<slug>[-\w]+)/$", view, name=kind)


urlpatterns = [
    page("event", pages.event),
    page("venue", pages.venue),
    page("organizer", pages.organizer),
    page("category", pages.category),
    page("tag", pages.tag),
]
