"""HTTP connections with deadlines, so that slow clients cannot hold them forever."""

import socket

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

# For the headers of a request, from its first byte or from the connection's start.
HEAD_SECONDS = 20
HEAD_BYTES = 64_000
IDLE_SECONDS = 75  # between requests, longer than proxies keep a connection
STALLED_SECONDS = 120  # without the client reading any of the answer


class Connection(HttpToolsProtocol):
    """Closes when the headers of a request take too long or are too large."""

    deadline = None
    head_size = 0

    def connection_made(self, transport):
        super().connection_made(transport)
        self._set_deadline()

    def data_received(self, data):
        self.head_size += len(data)
        super().data_received(data)
        if self.head_size > HEAD_BYTES:
            self.transport.abort()
        elif not self.deadline and (not self.cycle or self.cycle.response_complete):
            self._set_deadline()

    def on_headers_complete(self):
        self.head_size = 0
        self._cancel_deadline()
        super().on_headers_complete()

    def on_body(self, body):
        self.head_size = 0  # what follows is more of the body, or its trailers
        super().on_body(body)

    def connection_lost(self, exc):
        self._cancel_deadline()
        super().connection_lost(exc)

    def _set_deadline(self):
        self.deadline = self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def _cancel_deadline(self):
        if self.deadline:
            self.deadline.cancel()
            self.deadline = None


def bound(host: str, port: int) -> socket.socket:
    """Return a socket with this address, whose connections end when their client stalls."""
    family, kind, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # Linux; a connection has the options of its listener
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, STALLED_SECONDS * 1000)
    listener.bind(address)
    return listener
