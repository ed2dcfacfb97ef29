"""The routes of the two APIs, their description, the admin and the public pages."""

from django.conf import settings
from django.contrib import admin
from django.contrib.auth.decorators import login_not_required
from django.urls import include, path, re_path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe
from django.views.generic import RedirectView, TemplateView
from drf_spectacular.views import (
    SpectacularAPIView,
    SpectacularRedocView,
    SpectacularSwaggerSplitView,
)

from config.serving import health
from config.site import errors
from config.site.media import media, redoc

handler400 = "config.site.errors.bad_request"
handler403 = "config.site.errors.forbidden"
handler404 = "config.site.errors.not_found"
handler500 = "config.site.errors.server_error"

home = login_not_required(TemplateView.as_view(template_name="home.html"))
icon = login_not_required(require_safe(RedirectView.as_view(url=settings.ICON)))
unknown = login_not_required(csrf_exempt(errors.not_found))

routes = [
    path("", home, name="home"),
    path("healthz", health.alive, name="healthz"),
    path("readyz", health.ready, name="readyz"),
    path("", include("backup_app.monitoring.urls")),
    path("admin/", admin.site.urls),
    path("schema/", SpectacularAPIView.as_view(), name="schema"),
    path("docs/", SpectacularSwaggerSplitView.as_view(title="Swagger UI"), name="docs"),
    path("redoc/", SpectacularRedocView.as_view(title="Redoc"), name="redoc"),
    path("redoc/bundles/redoc.standalone.js", redoc),
    path("calendar/events/v1", include("calendar_app.urls")),
    path("api/", include("backup_app.urls")),
    # Also with DEBUG, which has its own page for unknown paths, and before a login is required.
    re_path(r"^(?:calendar|api)(?:/|$)", unknown),
    path("media/<path:path>", media, name="media"),
    path("favicon.ico", icon),
    path("", include("calendar_app.pages.urls")),
]
urlpatterns = [path(settings.BASE_PATH, include(routes))]
