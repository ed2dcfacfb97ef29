"""The base of the public pages: answered like the API, with errors as pages."""

from functools import cache
from hashlib import blake2b
from pathlib import Path

from django.contrib.auth.decorators import login_not_required
from django.core.signals import setting_changed
from django.template import engines
from django.template.response import TemplateResponse
from django.utils.cache import add_never_cache_headers
from django.utils.decorators import method_decorator
from django.utils.translation import get_language
from django.views import View
from rest_framework.exceptions import ValidationError

from ..api.caching import ConditionalMixin
from ..api.errors import as_calendar_error
from ..api.representations import Urls
from ..api.views.base import without_array_keys
from ..conf import conf
from ..exceptions import CalendarError


class Page(View):
    """Renders a template, and errors as a page with their sentences."""

    http_method_names = ["get", "head"]
    has_script = False

    def setup(self, request, *args, **kwargs):
        super().setup(request, *args, **kwargs)
        self.urls = Urls.of(request)
        self.query = _without_empty(without_array_keys(request.GET))

    def dispatch(self, request, *args, **kwargs):
        try:
            return super().dispatch(request, *args, **kwargs)
        except (CalendarError, ValidationError) as e:
            error = as_calendar_error(e)
            sentences = error.data.get("params", {}).values() or [error.message]
            return self.render("problem", status=error.status, sentences=list(sentences))

    def render(self, name, *, suffix="html", status=200, content_type=None, **context):
        template = f"calendar_app/{name}.{suffix}"
        context["here"] = self.request.resolver_match.url_name
        return TemplateResponse(self.request, template, context, content_type, status)

    def with_policy(self, response):
        """Return response with the headers that all pages have."""
        if policy := conf.CONTENT_SECURITY_POLICY:
            if self.has_script and response.status_code < 400 and "script-src" not in policy:
                policy = f"{policy}; script-src 'self'"
            response["Content-Security-Policy"] = policy
        return response


@method_decorator(login_not_required, name="dispatch")
class PageView(ConditionalMixin, Page):
    """A page that the public gets from the cache until the next write, or 304."""

    depends_on_time = True

    def dispatch(self, request, *args, **kwargs):
        # Also a 304, whose headers replace those of the page that a browser has.
        return self.with_policy(super().dispatch(request, *args, **kwargs))

    def variant(self):
        return templates_hash(), get_language()

    def _is_public(self, request):
        is_kept = conf.CACHE_SECONDS and not conf.is_debug
        return bool(is_kept) and not request.user.is_authenticated

    def _finish(self, request, response, key):
        # It may show what others may not see, or have a form for this visitor alone.
        if request.user.is_authenticated or request.META.get("CSRF_COOKIE_NEEDS_UPDATE"):
            add_never_cache_headers(response)
            return response
        return self.with_policy(super()._finish(request, response, key))


def _without_empty(query):
    """Return query without the fields of a form that were left empty."""
    found = query.copy()
    for name, values in query.lists():
        if not any(values):
            del found[name]
    return found


@cache
def templates_hash():
    """Return a hash of all templates of the project: it may override those of the pages."""
    folders = [Path(folder) for engine in engines.all() for folder in engine.template_dirs]
    found = sorted(path for folder in folders for path in folder.rglob("*.*ml"))
    return blake2b(b"".join(path.read_bytes() for path in found), digest_size=16).hexdigest()


def forget_templates(**kwargs):
    """Signal receiver: read the templates anew, as when a test overrides them."""
    templates_hash.cache_clear()


setting_changed.connect(forget_templates)
