"""Runs the WSGI application in threads behind an ASGI server, so that slow clients block none.

The server's event loop waits for clients: a thread gets a request once its body has arrived, and
turns to other requests while a client takes in what it was sent.
"""

import asyncio
import contextlib
import sys
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from errno import ENOSPC
from functools import partial
from io import BytesIO
from shutil import disk_usage
from tempfile import SpooledTemporaryFile, gettempdir
from urllib.parse import unquote_to_bytes

from django.core.exceptions import RequestDataTooBig

IN_MEMORY = 256_000  # bytes of a body; a larger one goes to a temporary file
PIECE = 64_000  # bytes of an answer: smaller pieces are collected before sending
LINGER = 10  # seconds to receive the rest of a refused body, so that its client reads the answer
LEAST_FREE = 100_000_000  # bytes that request bodies leave free on the disk with temporary files
TOO_SLOW = b"The body of the request arrived too slowly."
NO_SPACE = b"There is no space for the body of the request. Try again later."
CLOSE = (b"connection", b"close")

ENVIRON = {
    "SCRIPT_NAME": "",
    "wsgi.version": (1, 0),
    "wsgi.errors": sys.stderr,
    "wsgi.multithread": True,
    "wsgi.multiprocess": True,
    "wsgi.run_once": False,
}


class Application:
    """An ASGI application that answers as a WSGI application does, in so many threads.

    A body must arrive at ``rate`` bytes a second after the first seconds of ``grace``; else the
    answer is 408. One of more than ``largest`` bytes is not kept: reading it raises
    RequestDataTooBig.
    """

    def __init__(self, application, *, threads, largest, grace=20, rate=1000):
        self.application, self.largest, self.grace, self.rate = application, largest, grace, rate
        self.threads = ThreadPoolExecutor(threads, "request")

    async def __call__(self, scope, receive, send):
        environ = environ_of(scope)
        try:
            body = await self.body(environ, receive)
        except TimeoutError:
            await start_refusal(send, 408, TOO_SLOW)
            await send_body(send, TOO_SLOW)
        except ConnectionError:
            return
        except OSError:
            await start_refusal(send, 503, NO_SPACE)
            await linger(receive, send, NO_SPACE)
        else:
            with body:
                await self.answer(environ | {"wsgi.input": body}, receive, send)

    async def body(self, environ, receive):
        """Return the body as a file, and note its length, which nothing says of a chunked one."""
        if "CONTENT_LENGTH" not in environ and "HTTP_TRANSFER_ENCODING" not in environ:
            return BytesIO()
        if int(environ.get("CONTENT_LENGTH", 0)) > self.largest:
            return TooLarge()
        body, size, more = SpooledTemporaryFile(IN_MEMORY), 0, True  # noqa: SIM115 - is returned
        begin = asyncio.get_running_loop().time()
        while more and size <= self.largest:
            async with asyncio.timeout_at(begin + self.grace + size / self.rate):
                message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            size += body.write(message["body"])
            if size > IN_MEMORY and disk_usage(gettempdir()).free < LEAST_FREE:
                raise OSError(ENOSPC, "the disk with temporary files is nearly full")
            more = message["more_body"]
        if size > self.largest:
            return TooLarge()
        body.seek(0)
        environ["CONTENT_LENGTH"] = str(size)
        return body

    async def answer(self, environ, receive, send):
        answer = Answer(self.application, environ)
        loop = asyncio.get_running_loop()
        in_thread = partial(loop.run_in_executor, self.threads, copy_context().run)
        gone = None
        try:
            piece = await in_thread(answer.begin)
            await send_start(send, answer.status, answer.headers)
            while not answer.is_over:
                await send_body(send, piece, more=True)
                gone = gone or loop.create_task(disconnected(receive))
                if gone.done():
                    return
                piece = await in_thread(answer.piece)
            if isinstance(environ["wsgi.input"], TooLarge):
                await linger(receive, send, piece)
            else:
                await send_body(send, piece)
        finally:
            if gone:
                gone.cancel()
            if not answer.is_over:
                await in_thread(answer.end)


class Answer:
    """The response of a WSGI application, in pieces."""

    def __init__(self, application, environ):
        self.application, self.environ = application, environ
        self.status, self.headers, self.is_over = 500, [], False
        self.chunks = ()

    def begin(self):
        """Let the application answer; return the first piece."""
        self.chunks = self.application(self.environ, self.start)
        self.rest = iter(self.chunks)
        return self.piece()

    def start(self, status, headers, exc_info=None):
        self.status = int(status[:3])
        self.headers = [
            (name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers
        ]
        # The server could not find the next request after either.
        if isinstance(self.environ["wsgi.input"], TooLarge) or "HTTP_UPGRADE" in self.environ:
            self.headers.append(CLOSE)

    def piece(self):
        """Return the next part of the body; after the last one, the answer is over."""
        parts, size = [], 0
        if self.environ["REQUEST_METHOD"] != "HEAD":
            for chunk in self.rest:
                parts.append(chunk)
                size += len(chunk)
                if size >= PIECE:
                    return b"".join(parts)
        self.end()
        return b"".join(parts)

    def end(self):
        self.is_over = True
        if hasattr(self.chunks, "close"):
            self.chunks.close()


class TooLarge(BytesIO):
    """Stands in for a body that exceeds the limit."""

    def read(self, *size):
        raise RequestDataTooBig("The body of the request is too large.")

    readline = read


def environ_of(scope):
    """Return the environ of WSGI, without a body, for the scope of a request."""
    server, client = scope["server"] or ("", 0), scope["client"] or ("", 0)
    environ = ENVIRON | {
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "REQUEST_METHOD": scope["method"],
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "wsgi.url_scheme": scope["scheme"],
    }
    for name, value in scope["headers"]:
        if b"_" in name:  # would pass for one with a hyphen
            continue
        key = name.decode("latin-1").upper().replace("-", "_")
        if key not in {"CONTENT_TYPE", "CONTENT_LENGTH"}:
            key = f"HTTP_{key}"
        text = value.decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    return environ


async def start_refusal(send, status, sentence):
    await send_start(send, status, [CLOSE, (b"content-length", b"%d" % len(sentence))])


async def linger(receive, send, piece):
    """Send the last piece of an answer and wait while its client sends the rest of its body."""
    await send_body(send, piece, more=True)
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(drained(receive), LINGER)
    await send_body(send, b"")


async def send_start(send, status, headers):
    await send({"type": "http.response.start", "status": status, "headers": headers})


async def send_body(send, body, more=False):
    await send({"type": "http.response.body", "body": body, "more_body": more})


async def drained(receive):
    """Receive what is left of a body."""
    while (await receive()).get("more_body"):
        pass


async def disconnected(receive):
    """Wait until the client has disconnected."""
    while (await receive())["type"] != "http.disconnect":
        pass
