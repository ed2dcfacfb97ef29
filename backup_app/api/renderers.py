"""Answers are JSON in UTF-8, whatever the request's Accept header says."""

import orjson
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer

# Answers belong to the caller: browsers must not run them, nor caches store them.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
}


class JSONRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return b"" if data is None else orjson.dumps(data)


class AlwaysJSON(BaseContentNegotiation):
    """Answers never become HTML: an error reads the same in a browser and in a program."""

    def select_parser(self, request, parsers):
        kind = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == kind), None)

    def select_renderer(self, request, renderers, format_suffix=None):
        return renderers[0], renderers[0].media_type
