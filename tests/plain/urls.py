from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("calendar/events/v1", include("calendar_app.urls")),
    path("api/", include("backup_app.urls")),
    path("", include("calendar_app.pages.urls")),
]
