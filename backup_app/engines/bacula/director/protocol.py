"""Packets of Bacula's daemons on a TCP connection."""

import contextlib
import ipaddress
import socket
import ssl
import struct
import time
from collections.abc import Iterator

from ....exceptions import EngineError, EngineUnreachable
from . import tls

MAX_ANSWER = 16 * 1024 * 1024  # bytes of memory for one answer
LENGTH = struct.Struct(">i")
BLOCK = 65536


class Wire:
    """A connection to ``place``, "the Director at host:port"; a local one stays on this host.

    Raises EngineUnreachable if the other side cannot be reached, is too slow or disconnects, and
    EngineError if its answer is too long or TLS fails. The connection is closed then.
    """

    def __init__(self, address: str, port: int, place: str, seconds: float) -> None:
        self.place = place
        self._buffer = bytearray()
        self.allow(seconds)
        try:
            self._socket = socket.create_connection((address, port), timeout=seconds)
            own, other = self._socket.getsockname()[0], self._socket.getpeername()[0]
        except OSError as e:
            raise EngineUnreachable(f"{place} cannot be reached: {_reason(e)}.") from e
        self.is_local = own == other or ipaddress.ip_address(other).is_loopback

    def allow(self, seconds: float) -> None:
        """Set a time limit for all that is sent and received from now on."""
        self._seconds = seconds
        self._deadline = time.monotonic() + seconds
        self._room = MAX_ANSWER

    @property
    def is_encrypted(self) -> bool:
        return isinstance(self._socket, ssl.SSLSocket)

    @property
    def certificate(self) -> bytes | None:
        """The other side's, if it has shown one."""
        return self._socket.getpeercert(True) if isinstance(self._socket, ssl.SSLSocket) else None

    def start_tls(self, context: ssl.SSLContext, name: str) -> None:
        """Encrypt all that follows; the other side's certificate, if any, must have a name."""
        if self._buffer:
            self.close()
            raise tls.TlsFailed(f"{self.place} sent something between the request for TLS and it.")
        with self._timed():
            # It follows a packet of ours at once, and would wait for that to be acknowledged.
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket = context.wrap_socket(self._socket, server_hostname=name)

    def send(self, text: bytes) -> None:
        left = memoryview(LENGTH.pack(len(text)) + text)
        while left:
            with self._timed():
                left = left[self._socket.send(left) :]

    def receive(self) -> bytes | int:
        """Return the next packet, or the number of a signal, which is negative."""
        length: int
        (length,) = LENGTH.unpack(self._read(LENGTH.size))
        if length < 0:
            return length
        self._room -= LENGTH.size + length  # headers count: packets may be tiny
        if self._room < 0:
            self.close()
            raise EngineError(f"{self.place} sent an answer of more than {MAX_ANSWER} bytes.")
        return self._read(length)

    @property
    def is_open(self) -> bool:
        return self._socket.fileno() >= 0

    def close(self) -> None:
        if isinstance(self._socket, ssl.SSLSocket):
            # The end of TLS is told but not awaited: a Director that misses it logs an attack.
            with contextlib.suppress(OSError, ValueError):
                self._socket.settimeout(0)
                self._socket.unwrap()
        self._socket.close()

    def _read(self, size: int) -> bytes:
        # Many packets of one row each may arrive together.
        while len(self._buffer) < size:
            with self._timed():
                # Otherwise the peer waits 40 ms for our acknowledgement; the option does not last.
                self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
                block = self._socket.recv(BLOCK)
                if not block:
                    raise ConnectionResetError(0, "end of stream")
            self._buffer += block
        found = bytes(self._buffer[:size])
        del self._buffer[:size]
        return found

    @contextlib.contextmanager
    def _timed(self) -> Iterator[None]:
        """Limit the block to the time that is left."""
        try:
            left = self._deadline - time.monotonic()
            self._socket.settimeout(max(left, 1e-6))  # 0 would mean non-blocking
            yield
        except TimeoutError as e:
            self.close()
            message = f"{self.place} did not answer within {self._seconds:g} seconds."
            raise EngineUnreachable(message) from e
        except OSError as e:
            self.close()
            if isinstance(e, ssl.SSLError) and not isinstance(e, ssl.SSLEOFError):
                raise tls.failure(self.place, e) from e
            raise EngineUnreachable(f"{self.place} dropped the connection: {_reason(e)}.") from e


def _reason(error: OSError) -> str:
    return error.strerror or str(error) or type(error).__name__
