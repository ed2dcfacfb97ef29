from django.conf import settings
from django.http import Http404
from django.views.static import serve


def media(request, path):
    """Return a file of MEDIA_ROOT; Http404 also for a name that is too long for any."""
    try:
        return serve(request, path, document_root=settings.MEDIA_ROOT)
    except OSError as e:
        raise Http404(f"No file can have the name '{path[:50]}…'.") from e
