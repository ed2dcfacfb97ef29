"""A calendar service with this interface, read page by page."""

import base64
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson
import urllib3
from urllib3.util import Retry, Timeout

PER_PAGE = 50
MAX_BYTES = 50_000_000  # of one page
MAX_PAGES = 100_000
MAX_WAIT_SECONDS = 300
TRIES = 5
PAUSE_SECONDS = 1  # before the second try; then twice as long each time
BUSY = (429, 500, 502, 503, 504)
PAST_THE_END = {400, 404}


class ServiceError(Exception):
    """The service does not answer as it should; the message is a sentence."""

    def __init__(self, message, status=None):
        super().__init__(message)
        self.status = status


class Page(NamedTuple):
    number: int
    total: int  # pages, as far as the service says
    records: list


class Service:
    """Reads the collections at a base URL, ``https://example.org/wp-json/tribe/events/v1``.

    Asks again when the service is busy or the connection breaks, as late as it wants to be asked.
    Goes where the base URL points to and nowhere else: redirects are refused.
    """

    def __init__(self, url: str, *, username: str = "", password: str = ""):
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username:
            raise ServiceError(
                f"'{url}' is not the URL of a service, such as "
                "https://example.org/calendar/events/v1 (without a user name)."
            )
        path = parts.path.rstrip("/").removesuffix("/events")
        self.host = parts.hostname
        self.base = f"{parts.scheme}://{parts.netloc}{path}"
        headers = {"Accept": "application/json", "User-Agent": "calendar-import"}
        if username:
            token = base64.b64encode(f"{username}:{password}".encode()).decode()
            headers["Authorization"] = f"Basic {token}"
        self._pool = urllib3.PoolManager(
            headers=headers,
            timeout=Timeout(connect=10, read=60),
            retries=Retry(
                total=TRIES,
                status_forcelist=BUSY,
                backoff_factor=PAUSE_SECONDS,
                retry_after_max=MAX_WAIT_SECONDS,
                raise_on_status=False,
            ),
        )

    def pages(self, collection: str, params: dict, first: int = 1) -> Iterator[Page]:
        """Yield the pages of a collection from the first on; raises ServiceError."""
        for number in range(first, MAX_PAGES):
            try:
                body = self._get(collection, {**params, "page": number, "per_page": PER_PAGE})
            except ServiceError as e:
                # An empty list, or one that has become shorter meanwhile.
                if e.status in PAST_THE_END and number > 1:
                    return
                raise
            records, total = body.get(collection), body.get("total_pages")
            if not isinstance(records, list):
                raise ServiceError(f"{self.base}/{collection} answers without a list of them.")
            total = total if isinstance(total, int) else 0
            yield Page(number, total, records)
            if not records or (number >= total and not body.get("next_rest_url")):
                return

    def _get(self, collection, params):
        url = f"{self.base}/{collection}"
        status, content = self._fetched(url, params)
        try:
            body = orjson.loads(content)
        except orjson.JSONDecodeError:
            body = None
        if status != 200:
            message = body.get("message") if isinstance(body, dict) else ""
            raise ServiceError(f"{url} answers with status {status}. {message}".strip(), status)
        if not isinstance(body, dict):
            raise ServiceError(f"{url} does not answer with a JSON object.")
        return body

    def _fetched(self, url, params):
        """Return status and content; asks anew when the connection breaks in the content."""
        problem = None
        for _ in range(TRIES):
            try:
                return self._answer(url, params)
            except urllib3.exceptions.HTTPError as e:
                problem = e
        raise ServiceError(f"{url} breaks off: {problem}.") from problem

    def _answer(self, url, params):
        try:
            response = self._pool.request(
                "GET", url, fields=params, redirect=False, preload_content=False
            )
        except urllib3.exceptions.MaxRetryError as e:
            raise ServiceError(f"{url} cannot be reached: {e.reason}.") from e
        try:
            content = response.read(MAX_BYTES + 1, decode_content=True)
        finally:
            response.release_conn()
        if len(content) > MAX_BYTES:
            raise ServiceError(f"{url} answers with more than {MAX_BYTES} bytes.")
        return response.status, content
