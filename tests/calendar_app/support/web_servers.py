"""Web servers of our own to fetch from, and a name service that says what a test wants."""

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

CERTIFICATE = Path(__file__).parent / "tls" / "calendar.test.pem"  # its own authority, until 2120


class Site:
    """A server on 127.0.0.1: ``pages`` holds what answers to each path, ``seen`` who has asked."""

    def __init__(self):
        self.pages: dict[str, Callable[[BaseHTTPRequestHandler], None]] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        self.received: list[bytes] = []  # the bodies that were posted

    def page(self, path, body=b"", *, status=200, **headers):
        """Answer path with body; ``content_type=…`` is the header Content-Type."""

        def answer(handler):
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)

        self.pages[path] = answer

    def redirect(self, path, location, status=302):
        self.page(path, status=status, location=location)

    def url(self, path="/", host="127.0.0.1", scheme="http"):
        return f"{scheme}://{host}:{self.port}{path}"


@contextmanager
def serving(*, tls=False):
    """Run a Site for as long as the block lasts."""
    site = Site()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            site.seen.append((self.path, {**self.headers}))
            path = self.path.partition("?")[0]
            site.pages.get(path, lambda handler: handler.send_error(404))(self)

        def do_POST(self):
            site.received.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.do_GET()

        def log_message(self, *args):
            """Keep the test's output to the test."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

        def handle_error(self, request, client_address):
            """A client that hangs up is part of what is tested."""

    with Server(("127.0.0.1", 0), Handler) as server:
        if tls:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(CERTIFICATE)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        site.port = server.server_port
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield site
        server.shutdown()


class Names:
    """Answers for host names, in turn, the last one for good; all else is the system's affair."""

    def __init__(self):
        self.answers: dict[str, list[list[str]]] = {}
        self.asked: list[str] = []
        self._look_up = socket.getaddrinfo

    def add(self, name, *answers):
        self.answers[name] = [answer.split() for answer in answers]

    def __call__(self, host, port, *args, **kwargs):
        self.asked.append(host)
        if host not in self.answers:
            return self._look_up(host, port, *args, **kwargs)
        answers = self.answers[host]
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        return [found for address in addresses for found in self._look_up(address, port, type=1)]
