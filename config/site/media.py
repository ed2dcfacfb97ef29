from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.contrib.staticfiles import finders
from django.core.exceptions import SuspiciousFileOperation
from django.http import Http404, HttpResponse
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.static import serve

REDOC = "drf_spectacular_sidecar/redoc/bundles/redoc.standalone.js"
REDOC_LOGO = b"https://cdn.redoc.ly/redoc/logo-mini.svg"


@login_not_required
@require_safe
def media(request, path):
    """Return a file of MEDIA_ROOT; Http404 also for a name that no file there can have."""
    try:
        return serve(request, path, document_root=settings.MEDIA_ROOT)
    except (OSError, SuspiciousFileOperation) as e:
        raise Http404(f"No file can have the name '{path[:50]}…'.") from e


@login_not_required
@require_safe
@cache_control(max_age=3600)
def redoc(request):
    """Return the script of Redoc without the logo, which it would load from another host."""
    return HttpResponse(_redoc(), content_type="text/javascript")


@cache
def _redoc():
    return Path(finders.find(REDOC)).read_bytes().replace(REDOC_LOGO, b"data:,")
