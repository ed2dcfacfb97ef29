"""Makes requests with malformed headers harmless before Django reads them."""

from django.utils.http import parse_header_parameters


def without_nul_cookies(get_response):
    """Middleware that drops cookies with a NUL, which PostgreSQL cannot look up."""

    def middleware(request):
        for name in [name for name, value in request.COOKIES.items() if "\0" in value]:
            del request.COOKIES[name]
        return get_response(request)

    return middleware


def in_utf8(application):
    """Return a WSGI application that reads every request as UTF-8, whatever charset it names.

    A client can name any codec of Python as charset, even rot13, which does not decode text. Django
    would fail on it, and on an unknown charset of a parameter (RFC 2231).
    """

    def wrapped(environ, start_response):
        kind = _without_charset(environ.get("CONTENT_TYPE", ""))
        return application({**environ, "CONTENT_TYPE": kind}, start_response)

    return wrapped


def _without_charset(content_type):
    try:
        kind, parameters = parse_header_parameters(content_type)
    except ValueError:
        return ""
    if "boundary" in parameters:
        return f'{kind}; boundary="{parameters["boundary"]}"'
    return kind
