"""Clients that take their time: many connections that send or read a byte a second."""

import contextlib
import socket
import threading

POST = (
    "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/x-www-form-urlencoded\r\n"
    f"Cookie: csrftoken={'a' * 32}\r\n"  # with one, a form is read before it is refused
)
GET = "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
# What each kind sends at first, and then of it a byte a second.
KINDS = {
    "bodies": (POST + "Content-Length: 100000\r\n\r\n", b"a"),
    "chunked bodies": (POST + "Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    "silent bodies": (POST + "Content-Length: 100000\r\n\r\n", b""),
    "headers": (GET + "X-Slow: ", b"a"),
    "readers": (GET + "\r\n", b""),
    "idle": ("", b""),
}


class SlowClients:
    """So many connections of a kind, until the block ends."""

    def __init__(self, kind, number, port, path):
        opening, self.drip = KINDS[kind]
        self.reads = kind == "readers"
        self.number, self.port = number, port
        self.opening = opening.format(path=path).encode()
        self.stop = threading.Event()
        self.sockets = []
        self.thread = threading.Thread(target=self._keep_on)

    def __enter__(self):
        self.sockets = [self._connected() for _ in range(self.number)]
        self.thread.start()
        return self

    def __exit__(self, *exc_info):
        self.stop.set()
        self.thread.join()
        for connection in self.sockets:
            connection.close()

    def still_open(self):
        """Return how many connections the server has not closed."""
        return sum(map(is_open, self.sockets))

    def _connected(self):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.settimeout(20)
        connection.connect(("127.0.0.1", self.port))
        connection.sendall(self.opening)
        connection.setblocking(False)
        return connection

    def _keep_on(self):
        while not self.stop.wait(1):
            for connection in self.sockets:
                with contextlib.suppress(OSError):  # the server may end it
                    connection.send(self.drip)
                    if self.reads:
                        connection.recv(1)


def is_open(connection):
    try:
        return connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
    except BlockingIOError:
        return True
    except OSError:
        return False
