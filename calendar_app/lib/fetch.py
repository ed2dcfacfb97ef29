"""GET what a URL names: from public addresses only, within a limit of bytes and of seconds.

Where a function takes a ``trusted`` URL, an operator has named it: its host, at its port, may be
private too.
"""

import contextlib
import http.client
import ipaddress
import re
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit

from django.utils.encoding import iri_to_uri, punycode
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import ConnectTimeoutError, HTTPError, NewConnectionError
from urllib3.response import HTTPResponse

from ..exceptions import CalendarError
from .public_addresses import addresses_of, is_public

PORTS = {"http": 80, "https": 443}
MAX_URL_LENGTH = 2000
MAX_REDIRECTS = 5
REDIRECTS = {301, 302, 303, 307, 308}
# The server, not the request, is at fault: another try may succeed.
PASSING = {408, 425, 429, 500, 502, 503, 504}
CHECK_SECONDS = 2  # for the name service, while a caller waits
CONNECT_SECONDS = 5  # to one of several addresses
CHUNK_BYTES = 65536
HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9._-]*[a-z0-9_])?")
HEADERS = {"Accept": "*/*", "Accept-Encoding": "gzip", "User-Agent": "calendar-fetcher"}


class FetchError(CalendarError):
    """A URL that could not be fetched; ``passing`` when a later try may succeed."""

    code = "rest_fetch_failed"

    def __init__(self, message, *, passing=False):
        super().__init__(message)
        self.passing = passing


class PrivateAddressError(FetchError):
    """A URL that leads into a private network, or to this machine."""


@dataclass(frozen=True)
class Fetched:
    body: bytes
    content_type: str  # lower case, without parameters
    url: str  # where the redirects ended


@dataclass(frozen=True)
class Target:
    """An http(s) URL, taken apart once, so that what is checked is what is asked for."""

    scheme: str
    host: str
    port: int
    path: str
    query: str

    @classmethod
    def parse(cls, url: str, base: str = "") -> "Target":
        """Return the target of a URL, read as seen from base; FetchError says why it is none."""
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
        """Who answers: the host and the port."""
        return self.host, self.port

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def label(self) -> str:
        """The URL without its query, which may hold secrets: for messages and logs."""
        return f"{self.scheme}://{self.authority}{self.path}"

    @property
    def request_uri(self) -> str:
        return f"{self.path}?{self.query}" if self.query else self.path

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.authority}{self.request_uri}"

    def redirected(self, location: str) -> "Target":
        # A header's text is Latin-1 to http.client, and UTF-8 to those who write it unescaped.
        location = location.encode("latin-1").decode("utf-8", "replace")
        target = Target.parse(location, self.url)
        if self.scheme == "https" and target.scheme == "http":
            raise FetchError(f"{self.label} redirects from https to http.")
        return target

    def connection(self, address: str, seconds: float) -> HTTPConnection:
        """Return a connection, not yet open, to this very address in the host's name."""
        if self.scheme == "http":
            return HTTPConnection(address, self.port, timeout=seconds)
        return HTTPSConnection(
            address,
            self.port,
            timeout=seconds,
            ssl_context=ssl.create_default_context(),
            server_hostname=self.host,
        )


def _split(url, base) -> SplitResult:
    try:
        parts = urlsplit(urljoin(base, url.strip()))
    except ValueError as e:
        raise FetchError(f"The URL is invalid: {e}.") from e
    if parts.scheme not in PORTS or not parts.hostname:
        raise FetchError("The URL must be absolute and begin with http:// or https://.")
    return parts


def _host(parts):
    """Return the host as the name service and TLS want it: ASCII, no dot at the end."""
    with contextlib.suppress(ValueError):
        # What follows a "%" is the zone of a link-local address (RFC 4007), a matter of our own.
        return str(ipaddress.ip_address(parts.hostname.partition("%")[0]))
    try:
        host = punycode(parts.hostname).removesuffix(".").lower()
    except UnicodeError:
        host = ""
    if not HOST_NAME.fullmatch(host):
        raise FetchError(f"{parts.hostname!r} is not a valid host name.")
    return host


def normalized(url: str) -> str:
    """Return url in ASCII, without its fragment; FetchError when it is none that can be fetched."""
    url = Target.parse(url).url
    if len(url) > MAX_URL_LENGTH:
        raise FetchError(f"The URL is longer than {MAX_URL_LENGTH} characters.")
    return url


def check_public(url: str, *, trusted: str = "") -> str:
    """Return url normalized; FetchError at once when ``fetch`` will refuse its form or address.

    A host whose name is not found now may be found later: it passes.
    """
    url = normalized(url)
    target = Target.parse(url)
    _require_allowed(target, addresses_of(target.host, CHECK_SECONDS), trusted)
    return url


def is_private(url: str) -> bool:
    """Say whether a URL leads to an address that is not public, as far as is known now."""
    try:
        check_public(url)
    except PrivateAddressError:
        return True
    except FetchError:
        return False
    return False


def fetch(url: str, *, max_bytes: int, seconds: float, trusted: str = "") -> Fetched:
    """GET url, following redirects, and return what is there; raises FetchError."""
    deadline = time.monotonic() + seconds
    target = Target.parse(url)
    for _ in range(MAX_REDIRECTS + 1):
        with asked(target, deadline, trusted=trusted) as response:
            location = response.headers.get("Location")
            if response.status not in REDIRECTS or not location:
                return _received(target, response, max_bytes)
        target = target.redirected(location)
    raise FetchError(f"{Target.parse(url).label} redirects more than {MAX_REDIRECTS} times.")


@contextlib.contextmanager
def asked(
    target: Target,
    deadline: float,
    *,
    trusted: str = "",
    headers: Mapping[str, str] = HEADERS,
    connect_seconds: float = 10,
) -> Iterator[HTTPResponse]:
    """Yield what target answers, a redirect too, cut off at deadline; raises FetchError.

    The host must be found and reached within connect_seconds.
    """
    reached = min(deadline, time.monotonic() + connect_seconds)
    addresses = addresses_of(target.host, reached - time.monotonic())
    _require_allowed(target, addresses, trusted)
    with _translated(target, deadline):
        connection = _connected(target, addresses, reached)
        connection.timeout = max(0.01, deadline - time.monotonic())
        with contextlib.closing(connection), _cut_off(connection.sock, deadline):
            connection.request(
                "GET",
                target.request_uri,
                headers={"Host": target.authority, **headers},
                preload_content=False,
            )
            with contextlib.closing(connection.getresponse()) as response:
                yield response


def body_of(target: Target, response: HTTPResponse, max_bytes: int) -> bytes:
    """Return the unpacked body of a response; raises FetchError when it is larger."""
    if response.headers.get("Content-Encoding", "identity").lower() not in {"identity", "gzip"}:
        raise FetchError(f"{target.label} has a content encoding that was not requested.")
    body = bytearray()
    for chunk in response.stream(CHUNK_BYTES, decode_content=True):
        body += chunk
        if len(body) > max_bytes:
            raise FetchError(f"{target.label} is larger than {max_bytes} bytes.")
    return bytes(body)


def _require_allowed(target, addresses, trusted):
    if trusted and target.origin == Target.parse(trusted).origin:
        return
    if not all(map(is_public, addresses)):
        raise PrivateAddressError(f"{target.label} leads to an address that is not public.")
    # Below 1024 are the ports of other protocols (mail, files, shells), where HTTP does harm.
    if target.port not in PORTS.values() and target.port < 1024:
        raise FetchError(
            f"{target.label} has the port {target.port}, which belongs to another protocol."
        )


@contextlib.contextmanager
def _translated(target, deadline):
    """Turn what goes wrong on the way into a FetchError, and a late success too."""
    try:
        yield
    except (HTTPError, http.client.HTTPException, OSError) as e:
        problem = e
    else:
        problem = None
    if time.monotonic() >= deadline:
        raise FetchError(f"{target.label} took too long to answer.", passing=True) from problem
    if problem:
        reason = _reason(problem)
        raise FetchError(f"{target.label} cannot be fetched: {reason}.", passing=True) from problem


def _reason(problem):
    """Return what went wrong, without what the library says about its own objects."""
    if isinstance(problem, NewConnectionError):
        return getattr(problem.__cause__, "strerror", None) or problem
    return "the connection timed out" if isinstance(problem, ConnectTimeoutError) else problem


def _connected(target, addresses, deadline):
    if not addresses:
        raise FetchError(f"The host '{target.host}' cannot be found.", passing=True)
    *others, last = addresses
    for address in others:
        with contextlib.suppress(HTTPError, OSError):
            return _connect(target, address, deadline)
    return _connect(target, last, deadline)


def _connect(target, address, deadline):
    left = max(0.01, deadline - time.monotonic())
    connection = target.connection(address, min(left, CONNECT_SECONDS))
    try:
        connection.connect()
    except (HTTPError, OSError):
        connection.close()
        raise
    return connection


@contextlib.contextmanager
def _cut_off(sock, deadline):
    """End all traffic of sock at deadline; its timeout alone starts anew with every byte."""

    def cut():
        with contextlib.suppress(OSError):
            # Not SSLSocket.shutdown, which takes the TLS state from under a reading thread.
            socket.socket.shutdown(sock, socket.SHUT_RDWR)

    timer = threading.Timer(max(0, deadline - time.monotonic()), cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _received(target, response, max_bytes):
    if response.status != 200:
        raise FetchError(
            f"{target.label} answered with status {response.status}.",
            passing=response.status in PASSING,
        )
    content_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    return Fetched(body_of(target, response, max_bytes), content_type, target.url)
