"""Response formats: JSON by default, and iCalendar."""

import orjson
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.renderers import BaseRenderer

from ..exceptions import InvalidParams
from .errors import shown

POLICY = "default-src 'none'; frame-ancestors 'none'"  # no response is a page in a browser


class JSONRenderer(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = "utf-8"

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return b"" if data is None else orjson.dumps(data, default=str)


class ICalendarRenderer(BaseRenderer):
    """Passes on the bytes that the view wrote (RFC 5545); errors are JSON."""

    media_type = "text/calendar"
    format = "ics"
    charset = "utf-8"

    def render(self, data, accepted_media_type=None, renderer_context=None):
        return data


class Negotiation(DefaultContentNegotiation):
    """Chooses JSON unless the client asks for iCalendar by name; never answers 406."""

    def select_renderer(self, request, renderers, format_suffix=None):
        formats = {renderer.format: renderer for renderer in renderers}
        wanted = request.query_params.get("format")
        if wanted in formats:
            return formats[wanted], formats[wanted].media_type
        # A view with only one format ignores the parameter like any unknown one.
        if wanted is not None and len(formats) > 1:
            accepted = ", ".join(formats)
            raise InvalidParams(
                {"format": f"format must be one of {accepted}, not {shown(wanted)}."}
            )
        types = {renderer.media_type: renderer for renderer in renderers}
        preferred = request.get_preferred_type(list(types)) if wanted is None else None
        renderer = types.get(preferred, renderers[0])
        return renderer, renderer.media_type
