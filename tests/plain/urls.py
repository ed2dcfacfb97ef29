from django.contrib import admin
from django.templatetags.static import static
from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    # Each browser asks for one, and complains if a project has none.
    path("favicon.ico", RedirectView.as_view(url=static("calendar_app/icon.svg"))),
    path("admin/", admin.site.urls),
    path("calendar/events/v1", include("calendar_app.urls")),
    path("api/", include("backup_app.urls")),
    path("", include("calendar_app.pages.urls")),
]
