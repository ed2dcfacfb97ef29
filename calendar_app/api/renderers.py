"""Answers: JSON, and iCalendar for whoever asks for it."""

import orjson
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer

from ..exceptions import InvalidParams

POLICY = "default-src 'none'; frame-ancestors 'none'"  # no answer is a page in a browser


class JSONRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = "utf-8"

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return b"" if data is None else orjson.dumps(data, default=str)


class ICalendarRenderer(BaseRenderer):
    """Passes on what the view wrote as iCalendar (RFC 5545); its errors are JSON."""

    media_type = "text/calendar"
    format = "ics"
    charset = "utf-8"

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return data


class Negotiation(DefaultContentNegotiation):
    """Answers JSON unless iCalendar is asked for by name, whatever else a client accepts."""

    def select_renderer(self, request, renderers, format_suffix=None):
        formats = {renderer.format: renderer for renderer in renderers}
        wanted = request.query_params.get("format")
        if wanted in formats:
            return formats[wanted], formats[wanted].media_type
        # Where there is one format only, this is a parameter like any other that is not known.
        if wanted is not None and len(formats) > 1:
            accepted = ", ".join(formats)
            raise InvalidParams(
                {"format": f"format must be one of {accepted}, not '{wanted[:50]}'."}
            )
        types = {renderer.media_type: renderer for renderer in renderers}
        preferred = request.get_preferred_type(list(types)) if wanted is None else None
        renderer = types.get(preferred, renderers[0])
        return renderer, renderer.media_type
