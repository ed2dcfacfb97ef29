"""Receivers of alerts on this machine: a mail server and an HTTP server."""

import socket
import threading
from contextlib import contextmanager
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from aiosmtpd.controller import Controller
from standardwebhooks.webhooks import Webhook


class Mailbox:
    """A handler of aiosmtpd that keeps what it receives; ``refuses`` is said instead of 250."""

    def __init__(self):
        self.mails, self.refuses = [], ""

    async def handle_DATA(self, server, session, envelope):  # noqa: N802 - aiosmtpd's name
        if self.refuses:
            return self.refuses
        mail = message_from_bytes(envelope.content, policy=policy.default)
        self.mails.append((envelope.rcpt_tos, mail))
        return "250 OK"


@contextmanager
def mail_server(settings):
    """Yield the mailbox of a mail server that Django sends to."""
    mailbox = Mailbox()
    controller = Controller(mailbox, hostname="127.0.0.1", port=_free_port())
    controller.start()
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = controller.hostname, controller.port
    try:
        yield mailbox
    finally:
        controller.stop()


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Hook(BaseHTTPRequestHandler):
    """Keeps each request, and answers as the server's ``answers`` say, first to last, then 204."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append((self.path, dict(self.headers), body))
        status, headers = self.server.answers.pop(0) if self.server.answers else (204, {})
        self.server.may_answer.wait(30)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *args):
        """Say nothing."""


class Receiver(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address="127.0.0.1"):
        super().__init__((address, 0), Hook)
        self.requests, self.answers = [], []
        self.may_answer = threading.Event()
        self.may_answer.set()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/alerts?from=backup"

    def opened(self, secret):
        """Return the bodies received, each once its signature is verified."""
        return [Webhook(secret).verify(body, headers) for _, headers, body in self.requests]


@contextmanager
def http_receiver():
    with Receiver() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.may_answer.set()
            server.shutdown()
            thread.join()
