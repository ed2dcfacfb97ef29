"""URLs of pages, REST records and files."""

from functools import cached_property, lru_cache
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from django.core.files.storage import FileSystemStorage
from django.urls import NoReverseMatch, get_resolver, get_script_prefix, get_urlconf, reverse
from django.utils.encoding import filepath_to_uri

from ...conf import conf

PLACEHOLDER = "-"
COLLECTIONS = {
    "event": "events",
    "venue": "venues",
    "organizer": "organizers",
    "category": "categories",
    "tag": "tags",
}


class Urls:
    """Makes URLs below one base, ``https://example.org``, without any database query."""

    def __init__(self, base):
        self.base = base.rstrip("/")
        self.host = urlsplit(self.base).hostname

    @classmethod
    def of(cls, request):
        """Return Urls for the base in the settings, or else for the host of the request."""
        return cls(conf.BASE_URL or f"{request.scheme}://{request.get_host()}")

    def absolute(self, path):
        """Return an absolute URL for a path from the root; one that is absolute stays."""
        return path if path.startswith(("http://", "https://")) else f"{self.base}{path}"

    def files(self, storage):
        """Return a function from the name of a file in storage to its URL."""
        if storage.__class__.url is not FileSystemStorage.url:
            return lambda name: self.absolute(storage.url(name))
        # The result of FileSystemStorage.url(), in a fraction of its time.
        folder = self.absolute(storage.base_url)
        return lambda name: f"{folder}{filepath_to_uri(name)}"

    def global_id(self, pk):
        """Return the ID of a record that is unique across sites; it does not include the port."""
        return f"{self.host}?id={pk}"

    def rest(self, collection, pk=None):
        """Return the REST URL of a collection (``events``) or of one record in it."""
        address = f"{self._namespace}/{collection}"
        return address if pk is None else f"{address}/{pk}"

    def page(self, record):
        """Return the URL of the public page of an event, venue, organizer, category or tag.

        Where a project leaves the pages out, it is the REST URL.
        """
        if not self._pages:
            return self.rest(COLLECTIONS[record._meta.model_name], record.pk)
        start, end = self._pages[record._meta.model_name]
        slug = record.slug
        return f"{start}{slug if slug.isascii() else quote(slug)}{end}"

    def is_event_page(self, url):
        """Return whether a URL begins like that of an event's page on this site."""
        start, _ = self._pages.get("event") or (self.rest("events"), "")
        return url.startswith(start)

    @cached_property
    def _namespace(self):
        return self.absolute(_routes(get_resolver(get_urlconf()), get_script_prefix()).namespace)

    @cached_property
    def _pages(self):
        pages = _routes(get_resolver(get_urlconf()), get_script_prefix()).pages
        return {kind: (self.absolute(start), end) for kind, (start, end) in pages.items()}


class Routes(NamedTuple):
    """Paths from the root: of the API, and the parts around the slug in that of each page."""

    namespace: str
    pages: dict[str, tuple[str, str]]


@lru_cache(maxsize=16)
def _routes(resolver, prefix):
    # reverse() is slow for each record, so its results are cached.
    try:
        pages = {kind: _around_slug(kind) for kind in COLLECTIONS}
    except NoReverseMatch:
        pages = {}
    return Routes(reverse("calendar_app:namespace").rstrip("/"), pages)


def _around_slug(kind):
    path = reverse(f"calendar_pages:{kind}", kwargs={"slug": PLACEHOLDER})
    start, _, end = path.rpartition(PLACEHOLDER)
    return start, end
