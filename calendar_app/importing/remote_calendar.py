"""Reads a calendar service with the same API, page by page."""

import base64
import math
import time
from collections.abc import Iterator
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import urlencode

import orjson
from urllib3.exceptions import InvalidHeader
from urllib3.util import Retry

from ..lib import fetch
from ..lib.fetch import FetchError, Target

PER_PAGE = 50
MAX_BYTES = 50_000_000  # of one page
MAX_PAGES = 100_000
FIRST_CONNECT_SECONDS = 2
TRY_SECONDS = 60
PAGE_SECONDS = 300  # with all attempts and the pauses between them
TRIES = 5
PAUSE_SECONDS = 1  # before the second attempt; doubled each time
BUSY = {429, 500, 502, 503, 504}
PAST_THE_END = {400, 404}
EXAMPLE = "https://example.org/calendar/events/v1"
HINT = f"is it the URL of a calendar's API, such as {EXAMPLE}?"


class ServiceError(Exception):
    """The service cannot be read; the message is a sentence."""

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


class Page(NamedTuple):
    number: int
    total: int  # of pages, according to the service
    records: list


class Answer(NamedTuple):
    status: int
    headers: dict
    body: bytes


class Service:
    """Reads the collections at a base URL, ``https://example.org/wp-json/tribe/events/v1``.

    Retries when the service is busy or the connection breaks, and respects Retry-After; but only
    after one response, so that a mistyped URL fails at once. Redirects are errors, since they could
    lead the password to another host.
    """

    def __init__(self, url: str, *, username: str = "", password: str = ""):
        try:
            target = Target.parse(url)
        except FetchError as e:
            raise ServiceError(
                f"'{url}' is not the URL of a service, such as {EXAMPLE} (without a user name)."
            ) from e
        if target.query:
            raise ServiceError(f"'{url}' has a query, and the URL of a service has none.")
        self.host = target.authority
        path = target.path.rstrip("/").removesuffix("/events")
        self.base = f"{target.scheme}://{target.authority}{path}"
        self._access: dict = {"trusted": self.base}
        self._until, self._bytes_left = math.inf, math.inf
        self._has_answered = False
        self._headers = {
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": "calendar-import",
        }
        if username:
            token = base64.b64encode(f"{username}:{password}".encode()).decode()
            self._headers["Authorization"] = f"Basic {token}"

    def restrict(self, *, networks: fetch.Networks, seconds: float, max_bytes: int):
        """Read only public addresses and these networks, and no more nor longer than that."""
        self._access = {"networks": networks}
        self._until, self._bytes_left = time.monotonic() + seconds, max_bytes

    def pages(self, collection: str, params: dict, first: int = 1) -> Iterator[Page]:
        """Yield the pages of a collection, starting from first. Raises ServiceError."""
        seen = set()
        for number in range(first, MAX_PAGES):
            try:
                body = self._get(collection, {**params, "page": number, "per_page": PER_PAGE})
            except ServiceError as e:
                # The list is empty, or has become shorter in the meantime.
                if e.status in PAST_THE_END and number > 1:
                    return
                raise
            records, total = body[collection], body.get("total_pages")
            content = sha256(b",".join(as_json(record) or b"" for record in records)).digest()
            if records and content in seen:
                raise ServiceError(
                    f"{self.base}/{collection} returned the same records for page {number} as "
                    "for an earlier page."
                )
            seen.add(content)
            total = total if isinstance(total, int) else 0
            yield Page(number, total, records)
            if not records or (number >= total and not body.get("next_rest_url")):
                return

    def _get(self, collection, params):
        """Return the JSON object of a page of a collection."""
        url = f"{self.base}/{collection}"
        status, headers, content = self._fetched(Target.parse(f"{url}?{urlencode(params)}"))
        try:
            body = orjson.loads(content)
        except orjson.JSONDecodeError:
            body = None
        if status != 200:
            why = _why(status, headers, body)
            raise ServiceError(f"{url} answered with status {status}{why}", status)
        if not isinstance(body, dict) or not isinstance(body.get(collection), list):
            what = "a web page" if content.lstrip()[:1] == b"<" else "something else"
            raise ServiceError(
                f"{url} answered with {what} instead of a JSON object with a list of {collection}: "
                f"{HINT}"
            )
        return body

    def _fetched(self, target):
        """Return the response, with increasing pauses between attempts."""
        deadline = min(time.monotonic() + PAGE_SECONDS, self._until)
        pause, attempts = PAUSE_SECONDS, TRIES
        while True:
            attempts -= 1
            try:
                answer = self._attempt(target, deadline)
            except FetchError as e:
                if not (attempts and e.is_temporary and self._has_answered):
                    raise ServiceError(str(e)) from e
                wait = pause
            else:
                self._has_answered = True
                if not attempts or answer.status not in BUSY:
                    return answer
                wait = max(pause, _retry_after(answer))
            if time.monotonic() + wait > deadline:
                raise ServiceError(f"{target.label} did not return a page in time.")
            time.sleep(wait)
            pause *= 2

    def _attempt(self, target, deadline):
        limits = {} if self._has_answered else {"connect_seconds": FIRST_CONNECT_SECONDS}
        deadline = min(deadline, time.monotonic() + TRY_SECONDS)
        with fetch.open_response(
            target, deadline, headers=self._headers, **self._access, **limits
        ) as response:
            body = fetch.read_body(target, response, min(MAX_BYTES, self._bytes_left))
            self._bytes_left -= len(body)
            return Answer(response.status, response.headers, body)


def as_json(record) -> bytes | None:
    """Return a record as JSON with sorted keys; None if it is nested too deeply."""
    try:
        return orjson.dumps(record, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return None


def _why(status, headers, body):
    """Return the end of a sentence on an error: the redirect, or the message of the service."""
    if status in fetch.REDIRECTS and (location := headers.get("Location")):
        return f", a redirect to {location[:200]!r}: give the URL of the API itself."
    message = body.get("message") if isinstance(body, dict) else ""
    return f". {message[:500]}" if message and isinstance(message, str) else f": {HINT}"


def _retry_after(answer):
    """Return the seconds after which a busy service allows another attempt."""
    try:
        return Retry().parse_retry_after(answer.headers.get("Retry-After", "0"))
    except InvalidHeader:
        return 0
