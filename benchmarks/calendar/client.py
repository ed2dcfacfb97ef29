"""The client: one process that keeps some connections busy, and counts whole answers.

Each connection sends its next request as soon as the last byte of an answer has arrived. What was
sent before a turn is over is waited for and counts, as does the time that it takes. Any status
other than the expected one ends the run.
"""

import selectors
import socket
import time
from base64 import b64encode
from collections.abc import Callable
from itertools import count
from urllib.parse import urlencode

import orjson

# Sent to any port: both servers write the same addresses into their answers.
HOST = "127.0.0.1"


def request(path, query=None, *, method="GET", body=None, login=None, etag=None) -> bytes:
    """Return the bytes of a request; a body is sent as JSON."""
    target = f"{path}?{urlencode(query)}" if query else path
    lines = [f"{method} {target} HTTP/1.1", f"Host: {HOST}"]
    content = b"" if body is None else orjson.dumps(body)
    if content:
        lines += ["Content-Type: application/json", f"Content-Length: {len(content)}"]
    if login:
        lines.append(f"Authorization: Basic {b64encode(':'.join(login).encode()).decode()}")
    if etag:
        lines.append(f"If-None-Match: {etag}")
    return "\r\n".join([*lines, "", ""]).encode() + content


class Connection:
    """A connection that is kept open, with at most one request under way."""

    def __init__(self, port: int):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=120)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received, self.length = b"", None

    def send(self, content: bytes) -> None:
        self.received, self.length = b"", None
        self.socket.sendall(content)

    def receive(self) -> bool:
        """Read what is there; return whether the answer is complete."""
        part = self.socket.recv(1 << 20)
        if not part:
            raise SystemExit("A server closed the connection before it had answered.")
        self.received += part
        if self.length is None and (end := self.received.find(b"\r\n\r\n")) >= 0:
            self.head, self.start = self.received[:end], end + 4
            self.length = self.start + int(self.header("content-length") or 0)
        return self.length is not None and len(self.received) >= self.length

    @property
    def status(self) -> int:
        return int(self.head[9:12])

    def header(self, name: str) -> str:
        for line in self.head.decode("latin-1").split("\r\n")[1:]:
            key, _, value = line.partition(": ")
            if key.lower() == name:
                return value
        return ""

    def fetch(self, content: bytes) -> bytes:
        """Return the body of the answer to one request."""
        self.send(content)
        while not self.receive():
            pass
        return self.received[self.start :]

    def require(self, status: int) -> None:
        if self.status != status:
            answer = self.received.decode(errors="replace")
            raise SystemExit(f"Expected status {status}, not {answer[:1000]}")


def fetch(port: int, content: bytes, status: int = 200) -> bytes:
    """Return the body of the answer to a request on a connection of its own."""
    connection = Connection(port)
    with connection.socket:
        body = connection.fetch(content)
        connection.require(status)
        return body


def etag(port: int, content: bytes) -> str:
    """Return the ETag of the answer to a request, once it has one: once its total is counted."""
    connection = Connection(port)
    with connection.socket:
        connection.fetch(content)
        while not (found := connection.header("etag")):
            time.sleep(0.5)
            connection.fetch(content)
        return found


def drive(
    port: int, make: Callable[[int], bytes], seconds: float, *, connections: int, status: int
) -> tuple[int, float]:
    """Return how many answers arrived, and in which time; ``make`` makes request n."""
    numbers = count()
    with selectors.DefaultSelector() as selector:
        opened = [Connection(port) for _ in range(connections)]
        begin, answers, busy = time.perf_counter(), 0, connections
        for connection in opened:
            selector.register(connection.socket, selectors.EVENT_READ, connection)
            connection.send(make(next(numbers)))
        while busy:
            for key, _ in selector.select():
                connection = key.data
                if not connection.receive():
                    continue
                connection.require(status)
                answers += 1
                if time.perf_counter() < begin + seconds:
                    connection.send(make(next(numbers)))
                else:
                    busy -= 1
        took = time.perf_counter() - begin
        for connection in opened:
            connection.socket.close()
    return answers, took
