"""POSTs to URLs that users supply, at an address that was checked first.

A request to a private address would let users reach services that only this server can reach
(server-side request forgery). So the name is looked up once, and that address is connected to;
redirects are not followed, and nothing of the answer is returned but its status.
"""

import contextlib
import http.client
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit

from django.utils.encoding import iri_to_uri, punycode
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError

from .public_addresses import addresses_of, is_allowed

PORTS = {"http": 80, "https": 443}
LOOKUP_SECONDS = 2
CONNECT_SECONDS = 5  # to one of several addresses
HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?")
Networks = Sequence[IPv4Network | IPv6Network]


class PostError(Exception):
    """A URL cannot be used, or its server did not answer; the sentence says why."""


@dataclass(frozen=True)
class Target:
    """An http(s) URL, parsed once: the host that is checked is the one that is requested."""

    scheme: str
    host: str
    port: int
    request_uri: str

    @classmethod
    def parse(cls, url: str) -> "Target":
        """Return the target of a URL; raises PostError."""
        try:
            parts = urlsplit(url.strip())
            port = parts.port
        except ValueError as e:
            raise PostError(f"The URL is invalid: {e}.") from e
        if parts.scheme not in PORTS or not parts.hostname:
            raise PostError("The URL must be absolute and begin with http:// or https://.")
        if parts.username is not None or parts.password is not None:
            raise PostError("The URL must not contain a user name or password.")
        query = f"?{iri_to_uri(parts.query)}" if parts.query else ""
        number = PORTS[parts.scheme] if port is None else port
        return cls(
            parts.scheme, _host(parts.hostname), number, iri_to_uri(parts.path or "/") + query
        )

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    def connection(self, address: str, seconds: float) -> HTTPConnection:
        """Return a connection, not yet open, to this address, with the host's name for TLS."""
        if self.scheme == "http":
            return HTTPConnection(address, self.port, timeout=seconds)
        return HTTPSConnection(
            address,
            self.port,
            timeout=seconds,
            ssl_context=ssl.create_default_context(),
            server_hostname=self.host,
        )


def check(url: str, networks: Networks = ()) -> None:
    """Raise PostError if ``post`` would refuse a URL, as far as DNS tells now."""
    target = Target.parse(url)
    _require_allowed(target, addresses_of(target.host, LOOKUP_SECONDS), networks)


def post(
    url: str, body: bytes, headers: Mapping[str, str], *, networks: Networks = (), seconds: float
) -> int:
    """Return the status with which a server answers, within some seconds; raises PostError."""
    deadline = time.monotonic() + seconds
    target = Target.parse(url)
    addresses = addresses_of(target.host, min(seconds, CONNECT_SECONDS))
    if not addresses:
        raise PostError(f"The host '{target.host}' cannot be found.")
    _require_allowed(target, addresses, networks)
    try:
        return _posted(target, addresses, body, headers, deadline)
    except (HTTPError, http.client.HTTPException, OSError) as e:
        if time.monotonic() >= deadline:
            sentence = f"'{target.authority}' took longer than {seconds:g} seconds to answer."
            raise PostError(sentence) from e
        raise PostError(f"'{target.authority}' cannot be reached: {_reason(e)}.") from e


def _posted(
    target: Target,
    addresses: list[str],
    body: bytes,
    headers: Mapping[str, str],
    deadline: float,
) -> int:
    connection = _connected(target, addresses, deadline)
    connection.timeout = max(0.01, deadline - time.monotonic())
    with contextlib.closing(connection), _cut_off(connection.sock, deadline):
        headers = {"Host": target.authority, "Connection": "close", **headers}
        connection.request(
            "POST", target.request_uri, body=body, headers=headers, preload_content=False
        )
        with contextlib.closing(connection.getresponse()) as response:
            return response.status


def _host(name: str) -> str:
    """Return the host in the form for DNS and TLS: ASCII, lower case, no dot at the end."""
    with contextlib.suppress(ValueError):
        # After "%" comes the zone of a link-local address (RFC 4007), which is local to a machine.
        return str(ip_address(name.partition("%")[0]))
    try:
        host = punycode(name).removesuffix(".").lower()
    except UnicodeError:
        host = ""
    if not HOST_NAME.fullmatch(host):
        raise PostError(f"'{name}' is not a valid host name.")
    return host


def _require_allowed(target: Target, addresses: list[str], networks: Networks) -> None:
    if not all(is_allowed(address, networks) for address in addresses):
        raise PostError(
            f"'{target.host}' leads to an address that is not public, and that "
            "BACKUP_WEBHOOK_NETWORKS does not allow."
        )
    # Ports below 1024 belong to other protocols (mail, files, shells), which HTTP could misuse.
    if target.port not in PORTS.values() and target.port < 1024:
        raise PostError(f"Port {target.port} of '{target.host}' belongs to another protocol.")


def _connected(target: Target, addresses: list[str], deadline: float) -> HTTPConnection:
    *others, last = addresses
    for address in others:
        with contextlib.suppress(HTTPError, OSError):
            return _connect(target, address, deadline)
    return _connect(target, last, deadline)


def _connect(target: Target, address: str, deadline: float) -> HTTPConnection:
    left = max(0.01, deadline - time.monotonic())
    connection = target.connection(address, min(left, CONNECT_SECONDS))
    try:
        connection.connect()
    except (HTTPError, OSError):
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def _cut_off(sock: Any, deadline: float) -> Iterator[None]:
    """Shut sock down at deadline; a socket's own time limit starts again with every byte."""

    def cut() -> None:
        with contextlib.suppress(OSError):
            # Not SSLSocket.shutdown, which discards the TLS state while another thread reads.
            socket.socket.shutdown(sock, socket.SHUT_RDWR)

    timer = threading.Timer(max(0, deadline - time.monotonic()), cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _reason(problem: Exception) -> str:
    """Return what went wrong, without the library's description of its own objects."""
    if isinstance(problem, NewConnectionError):
        return str(getattr(problem.__cause__, "strerror", None) or "no connection")
    return "the connection timed out" if isinstance(problem, ConnectTimeoutError) else str(problem)
