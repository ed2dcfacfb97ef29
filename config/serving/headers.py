"""Content-Security-Policy and caching headers, by part of the site."""

from django.conf import settings
from django.utils.cache import add_never_cache_headers

NOTHING = {
    "default-src": "'none'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "frame-ancestors": "'none'",
}
PAGE = NOTHING | {"style-src": "'self'", "img-src": "'self'", "form-action": "'self'"}
SCRIPTED = PAGE | {
    "script-src": "'self'",
    "style-src": "'self' 'unsafe-inline'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
}
POLICIES = {
    # Alpine, which Unfold is built on, evaluates the expressions in attributes.
    "admin": SCRIPTED | {"script-src": "'self' 'unsafe-eval'", "img-src": "'self' data: blob:"},
    "docs": SCRIPTED,
    "redoc": SCRIPTED | {"worker-src": "blob:"},
    # A browser shows an image in a generated page with inline styles.
    "media": {"default-src": "'none'", "style-src": "'unsafe-inline'", "sandbox": ""},
}


def _text(policy):
    return "; ".join(f"{directive} {sources}".rstrip() for directive, sources in policy.items())


TEXTS = {place: _text(policy) for place, policy in POLICIES.items()}
PAGE_TEXT, NOTHING_TEXT = _text(PAGE), _text(NOTHING)


def with_policies(get_response):
    """Middleware that adds a Content-Security-Policy to each response whose view set none.

    HTML for a session is never cached: it may show what others must not see.
    """

    def middleware(request):
        response = get_response(request)
        if settings.DEBUG and response.status_code in {404, 500}:
            return response  # Django's own pages on faults need their scripts
        if response.status_code == 304:
            return response  # its headers would replace those of what it confirms
        is_html = response.get("Content-Type", "").startswith("text/html")
        default = PAGE_TEXT if is_html else NOTHING_TEXT
        policy = TEXTS.get(_place(request), default)
        response.headers.setdefault("Content-Security-Policy", policy)
        if is_html and settings.SESSION_COOKIE_NAME in request.COOKIES:
            add_never_cache_headers(response)
        return response

    return middleware


def _place(request):
    match = request.resolver_match
    return match and (match.namespace or match.url_name)
