"""What a client's headers may not do to a request."""

from django.utils.http import parse_header_parameters


def without_nul_cookies(get_response):
    """Middleware that takes no cookie with a NUL, for which PostgreSQL cannot look."""

    def middleware(request):
        for name in [name for name, value in request.COOKIES.items() if "\0" in value]:
            del request.COOKIES[name]
        return get_response(request)

    return middleware


def in_utf8(application):
    """Return a WSGI application whose requests are texts in UTF-8, whatever they call themselves.

    Any codec of Python's can be named as a charset, also rot13, which decodes no text; Django fails
    at it, as it does at a charset of a parameter (RFC 2231) that nobody knows.
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
