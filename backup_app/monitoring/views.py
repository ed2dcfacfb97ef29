"""The answer to Prometheus."""

from importlib.util import find_spec

from django.contrib.auth.decorators import login_not_required
from django.http import HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from .access import refusal


@login_not_required
@require_safe
@never_cache
def metrics(request):
    """Answer with the metrics in the format that the request accepts."""
    if sentence := refusal(request):
        return _sentence(403, sentence)
    if find_spec("prometheus_client") is None:
        return _sentence(404, "There are no metrics: the package prometheus-client is missing.")
    from .exposition import render

    body, content_type = render(request.headers.get("Accept", ""))
    return HttpResponse(body, content_type=content_type)


def _sentence(status, sentence):
    return HttpResponse(f"{sentence}\n", status=status, content_type="text/plain; charset=utf-8")
