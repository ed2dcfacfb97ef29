"""Routes of the public pages, which a project includes at the path that it chooses."""

from django.urls import path, re_path

from . import lists, sitemap, views

app_name = "calendar_pages"


def page(kind, view):
    # Only the characters of slugs, so that no others reach the database.
    return re_path(rf"^{kind}/(?P<slug>[-\w]+)/$", view.as_view(), name=kind)


urlpatterns = [
    path("events/", lists.UpcomingView.as_view(), name="upcoming"),
    path("events/past/", lists.PastView.as_view(), name="past"),
    path("events/month/", lists.MonthView.as_view(), name="this-month"),
    path("events/month/<str:month>/", lists.MonthView.as_view(), name="month"),
    path("events/day/<str:day>/", lists.DayView.as_view(), name="day"),
    path("sitemap.xml", sitemap.IndexView.as_view(), name="sitemap"),
    path("sitemap-<slug:kind>-<int:part>.xml", sitemap.PartView.as_view(), name="sitemap-part"),
    page("event", views.EventPage),
    page("venue", views.VenuePage),
    page("organizer", views.OrganizerPage),
    page("category", views.CategoryPage),
    page("tag", views.TagPage),
]
