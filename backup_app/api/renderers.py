"""Answers are JSON in UTF-8, whatever a request says that it accepts."""

import orjson
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.renderers import BaseRenderer

# No answer is a page, whatever a browser makes of it, and all of it is the caller's own.
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
    """A refusal reads the same in a browser and in a program: never HTML."""

    def select_parser(self, request, parsers):
        kind = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == kind), None)

    def select_renderer(self, request, renderers, format_suffix=None):
        return renderers[0], renderers[0].media_type
