"""A calendar service with this interface, read page by page."""

import base64
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
PAGE_SECONDS = 300  # with all tries, and the pauses between them
TRIES = 5
PAUSE_SECONDS = 1  # before the second try; then twice as long each time
BUSY = {429, 500, 502, 503, 504}
PAST_THE_END = {400, 404}
EXAMPLE = "https://example.org/calendar/events/v1"
HINT = f"is it the URL of a calendar's API, such as {EXAMPLE}?"


class ServiceError(Exception):
    """The service does not answer as it should; the message is a sentence."""

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


class Page(NamedTuple):
    number: int
    total: int  # pages, as far as the service says
    records: list


class Answer(NamedTuple):
    status: int
    headers: dict
    body: bytes


class Service:
    """Reads the collections at a base URL, ``https://example.org/wp-json/tribe/events/v1``.

    Asks again when the service is busy or the connection breaks, as late as it wants to be asked;
    but not before it has answered once, so that a mistyped URL is named at once. Goes where the
    base URL points to and nowhere else: redirects are refused.
    """

    def __init__(self, url: str, *, username: str = "", password: str = ""):
        try:
            target = Target.parse(url)
        except FetchError as e:
            raise ServiceError(
                f"'{url}' is not the URL of a service, such as {EXAMPLE} (without a user name)."
            ) from e
        self.host = target.authority
        path = target.path.rstrip("/").removesuffix("/events")
        self.base = f"{target.scheme}://{target.authority}{path}"
        self._has_answered = False
        self._headers = {
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
            "User-Agent": "calendar-import",
        }
        if username:
            token = base64.b64encode(f"{username}:{password}".encode()).decode()
            self._headers["Authorization"] = f"Basic {token}"

    def pages(self, collection: str, params: dict, first: int = 1) -> Iterator[Page]:
        """Yield the pages of a collection from the first on; raises ServiceError."""
        seen = set()
        for number in range(first, MAX_PAGES):
            try:
                body = self._get(collection, {**params, "page": number, "per_page": PER_PAGE})
            except ServiceError as e:
                # An empty list, or one that has become shorter meanwhile.
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
        """Return the object at a collection, which holds a list of its records."""
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
        """Return the answer; asks again, in longer and longer pauses, while that may help."""
        deadline, pause, more = time.monotonic() + PAGE_SECONDS, PAUSE_SECONDS, TRIES
        while True:
            more -= 1
            try:
                answer = self._asked(target, deadline)
            except FetchError as e:
                if not (more and e.is_temporary and self._has_answered):
                    raise ServiceError(str(e)) from e
                wait = pause
            else:
                self._has_answered = True
                if not more or answer.status not in BUSY:
                    return answer
                wait = max(pause, _asked_for(answer))
            if time.monotonic() + wait > deadline:
                raise ServiceError(
                    f"{target.label} did not return a page within {PAGE_SECONDS} seconds."
                )
            time.sleep(wait)
            pause *= 2

    def _asked(self, target, deadline):
        limits = {} if self._has_answered else {"connect_seconds": FIRST_CONNECT_SECONDS}
        deadline = min(deadline, time.monotonic() + TRY_SECONDS)
        with fetch.open_response(
            target, deadline, trusted=self.base, headers=self._headers, **limits
        ) as response:
            body = fetch.read_body(target, response, MAX_BYTES)
            return Answer(response.status, response.headers, body)


def as_json(record) -> bytes | None:
    """Return a record as it is written, its keys in order; None when it is nested too deep."""
    try:
        return orjson.dumps(record, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        return None


def _why(status, headers, body):
    """Return the end of a sentence on a refusal: where it points to, or what it says."""
    if status in fetch.REDIRECTS and (location := headers.get("Location")):
        return f", a redirect to {location[:200]!r}: give the URL of the API itself."
    message = body.get("message") if isinstance(body, dict) else ""
    return f". {message[:500]}" if message and isinstance(message, str) else f": {HINT}"


def _asked_for(answer):
    """Return how many seconds a busy service wants to be left alone."""
    try:
        return Retry().parse_retry_after(answer.headers.get("Retry-After", "0"))
    except InvalidHeader:
        return 0
