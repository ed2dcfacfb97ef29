"""GETs URLs that users supply: from public addresses only, with limits on size and time.

A request to a private address would let users reach services that only this server can reach
(server-side request forgery). An operator may name a ``trusted`` URL, whose host and port may be
private.
"""

import contextlib
import http.client
import ipaddress
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

from django.utils.encoding import iri_to_uri, punycode
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError
from urllib3.response import HTTPResponse

from .public_addresses import addresses_of, is_public

Networks = Sequence[IPv4Network | IPv6Network]
PORTS = {"http": 80, "https": 443}
MAX_URL_LENGTH = 2000
MAX_REDIRECTS = 5
REDIRECTS = {301, 302, 303, 307, 308}
UNMODIFIED = 304
VALIDATORS = {"ETag": "If-None-Match", "Last-Modified": "If-Modified-Since"}
VALIDATOR = re.compile(r"[ -~]{1,500}")
# The server, not the request, is at fault: another attempt may succeed.
TEMPORARY = {408, 425, 429, 500, 502, 503, 504}
CHECK_SECONDS = 2  # for a DNS lookup while a user waits
CONNECT_SECONDS = 5  # to one of several addresses
CHUNK_BYTES = 65536
HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?")
HEADERS = {"Accept": "*/*", "Accept-Encoding": "gzip", "User-Agent": "calendar-fetcher"}


class FetchError(Exception):
    """A URL could not be fetched; ``is_temporary`` when a later attempt may succeed."""

    def __init__(self, message: str, *, is_temporary: bool = False) -> None:
        super().__init__(message)
        self.is_temporary = is_temporary


class PrivateAddressError(FetchError):
    """A URL leads into a private network, or to this machine."""


class UnmodifiedError(FetchError):
    """The body is the same as when the server sent the validators of the request."""


@dataclass(frozen=True)
class Fetched:
    body: bytes
    content_type: str  # lower case, without parameters
    url: str  # where the redirects ended
    # headers of the next request, on which the answer may be that nothing has changed
    validators: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Target:
    """An http(s) URL, parsed once: the host that is checked is the one that is requested."""

    scheme: str
    host: str
    port: int
    path: str
    query: str

    @classmethod
    def parse(cls, url: str, base: str = "") -> "Target":
        """Return the target of a URL, resolved against base. Raises FetchError."""
        parts = _split(url, base)
        if parts.username is not None or parts.password is not None:
            raise FetchError("The URL must not contain a user name or password.")
        try:
            port = PORTS[parts.scheme] if parts.port is None else parts.port
        except ValueError as e:
            raise FetchError(f"The URL is invalid: {e}.") from e
        path, query = iri_to_uri(parts.path or "/"), iri_to_uri(parts.query)
        return cls(parts.scheme, _host(parts), port, path, query)

    @property
    def origin(self) -> tuple[str, int]:
        """The host and the port."""
        return self.host, self.port

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def label(self) -> str:
        """The URL without its query, which may contain secrets: for messages and logs."""
        return f"{self.scheme}://{self.authority}{self.path}"

    @property
    def request_uri(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.request_uri}"

    def redirected(self, location: str) -> "Target":
        # http.client decodes headers as Latin-1; servers that do not escape the URL send UTF-8.
        location = location.encode("latin-1").decode("utf-8", "replace")
        target = Target.parse(location, self.url)
        if self.scheme == "https" and target.scheme == "http":
            raise FetchError(f"{self.label} redirects from https to http.")
        return target

    def connection(self, address: str, seconds: float) -> HTTPConnection:
        """Return a connection, not yet open, to this address, with the host's name for TLS.

        A second lookup of the name could give another address than the one that was checked.
        """
        if self.scheme == "http":
            return HTTPConnection(address, self.port, timeout=seconds)
        return HTTPSConnection(
            address,
            self.port,
            timeout=seconds,
            ssl_context=ssl.create_default_context(),
            server_hostname=self.host,
        )


def _split(url: str, base: str) -> SplitResult:
    try:
        parts = urlsplit(urljoin(base, url.strip()))
    except ValueError as e:
        raise FetchError(f"The URL is invalid: {e}.") from e
    if parts.scheme not in PORTS or not parts.hostname:
        raise FetchError("The URL must be absolute and begin with http:// or https://.")
    return parts


def _host(parts: SplitResult) -> str:
    """Return the host in the form for DNS and TLS: ASCII, lower case, no dot at the end."""
    name = parts.hostname or ""
    with contextlib.suppress(ValueError):
        # After "%" comes the zone of a link-local address (RFC 4007), which is local to a machine.
        return str(ipaddress.ip_address(name.partition("%")[0]))
    try:
        host = punycode(name).removesuffix(".").lower()
    except UnicodeError:
        host = ""
    if not HOST_NAME.fullmatch(host):
        raise FetchError(f"{name!r} is not a valid host name.")
    return host


def normalized(url: str) -> str:
    """Return url in ASCII, without its fragment. Raises FetchError for an invalid one."""
    url = Target.parse(url).url
    if len(url) > MAX_URL_LENGTH:
        raise FetchError(f"The URL is longer than {MAX_URL_LENGTH} characters.")
    return url


def check_public(
    url: str, *, trusted: str = "", until: float | None = None, networks: Networks = ()
) -> str:
    """Return url normalized. Raises FetchError if ``fetch`` would refuse its form or address.

    A host name that cannot be resolved, or not before until (``time.monotonic``), passes: it may be
    found by the time of the request.
    """
    url = normalized(url)
    target = Target.parse(url)
    seconds = CHECK_SECONDS if until is None else min(CHECK_SECONDS, until - time.monotonic())
    _require_allowed(target, addresses_of(target.host, seconds), trusted, networks)
    return url


def is_private(url: str) -> bool:
    """Return whether a URL leads to an address that is not public, as far as DNS tells now."""
    try:
        check_public(url)
    except PrivateAddressError:
        return True
    except FetchError:
        return False
    return False


def fetch(
    url: str,
    *,
    max_bytes: int,
    seconds: float,
    trusted: str = "",
    networks: Networks = (),
    validators: Mapping[str, str] | None = None,
) -> Fetched:
    """Return the response body of url within max_bytes, following redirects. Raises FetchError.

    With the validators of an earlier answer it raises UnmodifiedError for the same body.
    """
    headers = {**HEADERS, **(validators or {})}
    deadline = time.monotonic() + seconds
    target = Target.parse(url)
    for _ in range(MAX_REDIRECTS + 1):
        with open_response(
            target, deadline, trusted=trusted, networks=networks, headers=headers
        ) as response:
            location = response.headers.get("Location")
            if response.status not in REDIRECTS or not location:
                return _received(target, response, max_bytes)
        target = target.redirected(location)
    raise FetchError(f"{Target.parse(url).label} redirects more than {MAX_REDIRECTS} times.")


@contextlib.contextmanager
def open_response(
    target: Target,
    deadline: float,
    *,
    trusted: str = "",
    networks: Networks = (),
    headers: Mapping[str, str] = HEADERS,
    body: bytes | None = None,
    connect_seconds: float = 10,
) -> Iterator[HTTPResponse]:
    """Yield target's response, even a redirect; it is cut off at deadline (``time.monotonic``).

    With a body the request is a POST. networks may be private. The lookup and the connection may
    take connect_seconds together. Raises FetchError.
    """
    reached = min(deadline, time.monotonic() + connect_seconds)
    addresses = addresses_of(target.host, reached - time.monotonic())
    _require_allowed(target, addresses, trusted, networks)
    with _translated(target, deadline):
        connection = _connected(target, addresses, reached)
        connection.timeout = max(0.01, deadline - time.monotonic())
        with contextlib.closing(connection), _cut_off(connection.sock, deadline):
            connection.request(
                "GET" if body is None else "POST",
                target.request_uri,
                body=body,
                headers={"Host": target.authority, **headers},
                preload_content=False,
            )
            with contextlib.closing(connection.getresponse()) as response:
                yield response


def read_body(target: Target, response: HTTPResponse, max_bytes: int) -> bytes:
    """Return the decompressed body of a response. Raises FetchError if it is larger."""
    if response.headers.get("Content-Encoding", "identity").lower() not in {"identity", "gzip"}:
        raise FetchError(f"{target.label} has a content encoding that was not requested.")
    body = bytearray()
    for chunk in response.stream(CHUNK_BYTES, decode_content=True):
        body += chunk
        if len(body) > max_bytes:
            raise FetchError(f"{target.label} is larger than {max_bytes} bytes.")
    return bytes(body)


def _require_allowed(
    target: Target, addresses: list[str], trusted: str, networks: Networks
) -> None:
    if trusted and target.origin == Target.parse(trusted).origin:
        return
    if not all(is_public(address) or _is_within(address, networks) for address in addresses):
        raise PrivateAddressError(f"{target.label} leads to an address that is not public.")
    # Ports below 1024 belong to other protocols (mail, files, shells), which HTTP could misuse.
    if target.port not in PORTS.values() and target.port < 1024:
        raise FetchError(
            f"{target.label} has the port {target.port}, which belongs to another protocol."
        )


def _is_within(address: str, networks: Networks) -> bool:
    ip = ipaddress.ip_address(address)
    return any(ip in network for network in networks)


@contextlib.contextmanager
def _translated(target: Target, deadline: float) -> Iterator[None]:
    """Turn network errors into FetchError, and a success after the deadline too."""
    problem: Exception | None = None
    try:
        yield
    except (HTTPError, http.client.HTTPException, OSError) as e:
        problem = e
    if time.monotonic() >= deadline:
        raise FetchError(f"{target.label} took too long to answer.", is_temporary=True) from problem
    if problem:
        reason = _reason(problem)
        raise FetchError(
            f"{target.label} cannot be fetched: {reason}.", is_temporary=True
        ) from problem


def _reason(problem: Exception) -> str:
    """Return what went wrong, without the library's description of its own objects."""
    if isinstance(problem, NewConnectionError):
        return str(getattr(problem.__cause__, "strerror", None) or problem)
    return "the connection timed out" if isinstance(problem, ConnectTimeoutError) else str(problem)


def _connected(target: Target, addresses: list[str], deadline: float) -> HTTPConnection:
    if not addresses:
        raise FetchError(f"The host '{target.host}' cannot be found.", is_temporary=True)
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
    """Shut sock down at deadline; a socket's own timeout starts again with every byte."""

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


def _received(target: Target, response: HTTPResponse, max_bytes: int) -> Fetched:
    if response.status == UNMODIFIED:
        raise UnmodifiedError(f"{target.label} has not changed.")
    if response.status != 200:
        raise FetchError(
            f"{target.label} answered with status {response.status}.",
            is_temporary=response.status in TEMPORARY,
        )
    content_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    validators = {
        asked: value
        for sent, asked in VALIDATORS.items()
        if VALIDATOR.fullmatch(value := response.headers.get(sent, ""))
    }
    return Fetched(read_body(target, response, max_bytes), content_type, target.url, validators)
