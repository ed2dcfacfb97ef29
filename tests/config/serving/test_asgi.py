"""The web server with an application of a test's own, over real connections."""

import http.client
import socket
import threading
from contextlib import contextmanager
from io import BytesIO
from types import SimpleNamespace

import pytest
from django.core.exceptions import RequestDataTooBig

from config.serving import asgi, connections, web
from config.serving.asgi import Application
from config.serving.connections import bound
from tests.support.waiting import wait_for

LARGEST = 1_000_000
MEGABYTE = bytes(1_000_000)


@contextmanager
def served(application, **options):
    """Yield the address of a server for a WSGI application, which has one thread."""
    listener = bound("127.0.0.1", 0)
    options = {"threads": 1, "largest": LARGEST, **options}
    server = web.server(Application(application, **options))
    thread = threading.Thread(target=server.run, args=([listener],))
    address = listener.getsockname()
    thread.start()
    try:
        wait_for(lambda: server.started, 20)
        yield address
    finally:
        server.should_exit = server.force_exit = True
        thread.join()


def echo(environ, start_response):
    """Answer with what was sent, and how long it says to be."""
    body = environ["wsgi.input"].read()
    start_response("200 OK", [("X-Length", environ.get("CONTENT_LENGTH", ""))])
    return [body]


def limited(environ, start_response):
    """Read the body if asked to; say 413 to one that is too large, as Django does."""
    try:
        if environ["PATH_INFO"] != "/unread":
            environ["wsgi.input"].read()
        status = "200 OK"
    except RequestDataTooBig:
        status = "413 Too Large"
    start_response(status, [("Content-Length", "5")])
    return [b"done\n"]


def sent(address, data):
    """Return a connection over which bytes were sent."""
    connection = socket.create_connection(address, timeout=30)
    connection.sendall(data)
    return connection


def received(connection):
    """Return all that a server sends until it closes the connection."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


def request(address, method, body=None, path="/", **headers):
    connection = http.client.HTTPConnection(*address, timeout=30)
    connection.request(method, path, body, headers)
    response = connection.getresponse()
    return SimpleNamespace(status=response.status, headers=response.headers, body=response.read())


class TestBodies:
    @pytest.mark.parametrize("size", [0, 1, 300_000, LARGEST])
    def test_a_body_arrives_as_it_was_sent(self, size):
        body = bytes(index % 251 for index in range(size))

        with served(echo) as address:
            answer = request(address, "POST", body)

        assert (answer.body, answer.headers["X-Length"]) == (body, str(size))

    def test_a_chunked_body_has_a_length(self):
        with served(echo) as address:
            answer = request(address, "POST", iter([b"two", b"parts"]))

        assert (answer.body, answer.headers["X-Length"]) == (b"twoparts", "8")

    def test_a_slow_body_is_refused(self):
        with served(echo, grace=0.2) as address:
            answer = received(sent(address, b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\nhalf"))

        assert answer.startswith(b"HTTP/1.1 408 ")
        assert b"\r\nconnection: close\r\n" in answer
        assert answer.endswith(b"\r\n\r\nThe body of the request arrived too slowly.")

    def test_a_steady_body_may_take_long(self):
        with served(echo, grace=0.2, rate=1) as address:
            connection = sent(address, b"POST / HTTP/1.1\r\nContent-Length: 40\r\n\r\n" + b"x" * 39)
            connection.settimeout(1)
            with pytest.raises(TimeoutError):
                connection.recv(1)
            connection.settimeout(30)
            connection.sendall(b"x")

            assert connection.recv(15) == b"HTTP/1.1 200 OK"

    @pytest.mark.parametrize("path", ["/", "/unread"])
    @pytest.mark.parametrize("chunked", [False, True])
    def test_a_client_that_sends_too_much_gets_the_reason(self, path, chunked):
        body = iter([MEGABYTE] * 20) if chunked else MEGABYTE * 20

        with served(limited) as address:
            answer = request(address, "POST", body, path)

        assert (answer.status, answer.body) == (200 if path == "/unread" else 413, b"done\n")
        assert answer.headers["Connection"] == "close"

    def test_bodies_do_not_fill_the_disk(self, monkeypatch):
        monkeypatch.setattr(asgi, "LEAST_FREE", 1 << 60)

        with served(echo) as address:
            large = request(address, "POST", MEGABYTE)
            small = request(address, "POST", b"small")

        sentence = b"There is no space for the body of the request. Try again later."
        assert (large.status, large.body, large.headers["Connection"]) == (503, sentence, "close")
        assert small.body == b"small"

    def test_the_service_takes_the_images_and_restores_that_it_offers(self):
        assert web.largest_body() > 11_000_000


class TestHeads:
    @pytest.mark.parametrize("sends", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nX-Slow: ", b"\r\n"])
    def test_a_slow_head_ends_the_connection(self, sends, monkeypatch):
        monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)

        with served(echo) as address:
            assert received(sent(address, sends)) == b""

    def test_a_slow_head_after_an_answer_ends_the_connection(self, monkeypatch):
        monkeypatch.setattr(connections, "HEAD_SECONDS", 0.2)

        with served(echo) as address:
            connection = sent(address, b"GET / HTTP/1.1\r\n\r\n")
            assert connection.recv(15) == b"HTTP/1.1 200 OK"
            connection.sendall(b"GET /")

            assert received(connection).endswith(b"\r\n\r\n")

    def test_an_idle_connection_ends(self, monkeypatch):
        monkeypatch.setattr(connections, "IDLE_SECONDS", 0.2)

        with served(echo) as address:
            answer = received(sent(address, b"GET / HTTP/1.1\r\n\r\n"))

        assert answer.startswith(b"HTTP/1.1 200 OK")

    def test_endless_headers_end_the_connection(self):
        with served(echo) as address, pytest.raises(ConnectionError):
            sent(address, b"GET / HTTP/1.1\r\n" + b"X-Long: x\r\n" * 2_000_000)

    def test_endless_trailers_end_the_connection(self):
        body = b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"

        with served(echo) as address, pytest.raises(ConnectionError):
            sent(address, body + b"X-Long: x\r\n" * 2_000_000)

    def test_endless_headers_after_a_request_that_is_answered_end_the_connection(self):
        with served(Megabytes()) as address:
            connection = sent(address, b"GET / HTTP/1.1\r\n\r\n")
            assert connection.recv(15) == b"HTTP/1.1 200 OK"
            with pytest.raises(ConnectionError):
                connection.sendall(b"GET / HTTP/1.1\r\n" + b"X-Long: x\r\n" * 2_000_000)

    def test_a_body_of_many_small_chunks_arrives(self):
        with served(echo) as address:
            answer = request(address, "POST", iter([b"x"] * 30_000))

        assert answer.body == b"x" * 30_000

    def test_headers_with_underscores_are_dropped(self):
        def forwarded(environ, start_response):
            start_response("200 OK", [])
            return [environ.get("HTTP_X_FORWARDED_FOR", "none").encode()]

        with served(forwarded) as address:
            faked = request(address, "GET", X_Forwarded_For="192.0.2.1")
            real = request(address, "GET", **{"X-Forwarded-For": "192.0.2.2"})

        assert (faked.body, real.body) == (b"none", b"192.0.2.2")

    def test_a_protocol_that_is_offered_but_unknown_ends_the_connection(self):
        with served(echo) as address:
            answer = request(address, "GET", Connection="Upgrade", Upgrade="h2c")

        assert (answer.status, answer.headers["Connection"]) == (200, "close")


class Megabytes:
    """An endless answer, which counts what is taken of it."""

    def __init__(self):
        self.taken, self.closed = 0, threading.Event()

    def __call__(self, environ, start_response):
        if environ["PATH_INFO"] == "/short":
            start_response("200 OK", [])
            return [b"short"]
        start_response("200 OK", [])
        return self

    def __iter__(self):
        return self

    def __next__(self):
        self.taken += 1
        return MEGABYTE

    def close(self):
        self.closed.set()


class TestReaders:
    def test_a_slow_reader_blocks_no_thread_and_takes_little_memory(self):
        endless = Megabytes()

        with served(endless) as address:
            slow = sent(address, b"GET / HTTP/1.1\r\n\r\n")
            assert slow.recv(15) == b"HTTP/1.1 200 OK"
            others = [request(address, "GET", path="/short").body for _ in range(20)]
            slow.close()
            assert endless.closed.wait(30)

        assert others == [b"short"] * 20
        assert endless.taken < 20  # what fits between them

    def test_a_client_that_reads_nothing_is_disconnected(self, monkeypatch):
        monkeypatch.setattr(connections, "STALLED_SECONDS", 1)
        endless = Megabytes()

        with served(endless) as address:
            stalled = sent(address, b"GET / HTTP/1.1\r\n\r\n")
            assert endless.closed.wait(60)
            stalled.close()

    def test_nothing_is_made_of_an_answer_to_head(self):
        endless = Megabytes()

        with served(endless) as address:
            answer = request(address, "HEAD")

        assert (answer.status, answer.body, endless.taken) == (200, b"", 0)
        assert endless.closed.is_set()

    def test_an_answer_that_breaks_off_is_not_taken_for_whole(self):
        def breaks(environ, start_response):
            start_response("200 OK", [])
            yield MEGABYTE
            raise ZeroDivisionError

        with served(breaks) as address, pytest.raises(http.client.IncompleteRead):
            request(address, "GET")


def test_a_file_is_sent_whole():
    content = bytes(index % 253 for index in range(5_000_000))

    def file(environ, start_response):
        start_response("200 OK", [("Content-Length", str(len(content)))])
        return iter(lambda: source.read(4096), b"")

    source = BytesIO(content)
    with served(file) as address:
        answer = request(address, "GET")

    assert answer.body == content
