"""Requests to a WSGI application in this process, without a network."""

from io import BytesIO
from typing import NamedTuple
from urllib.parse import urlencode
from wsgiref.util import setup_testing_defaults


class Answer(NamedTuple):
    """What an application answered: the status as a number, the headers, the body in bytes."""

    status: int
    headers: dict[str, str]
    body: bytes


class Get:
    """A GET, made once and sent as often as wanted."""

    def __init__(self, application, path, params=(), **headers):
        self.application = application
        self.environ = {
            "PATH_INFO": path,
            "QUERY_STRING": urlencode(params),
            "HTTP_HOST": "127.0.0.1",
            "wsgi.input": BytesIO(),
            **{f"HTTP_{name.upper()}": value for name, value in headers.items()},
        }
        setup_testing_defaults(self.environ)

    def __call__(self):
        """Return the Answer."""
        begun = []
        chunks = self.application(self.environ.copy(), lambda *start: begun.extend(start))
        body = b"".join(chunks)
        if hasattr(chunks, "close"):
            chunks.close()
        return Answer(int(begun[0][:3]), dict(begun[1]), body)
