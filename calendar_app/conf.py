"""The app's settings, ``CALENDAR_<NAME>`` in the project, and their defaults."""

from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

# A comment is the setting's description in docs/settings.md.
DEFAULTS: dict[str, Any] = {
    # scheme and host that links begin with, such as `https://example.org`; by default the request's
    "BASE_URL": "",
    "TIME_ZONE": "",  # the calendar's own zone, an IANA name; by default that of `TIME_ZONE`
    "PER_PAGE": 10,  # records on a page
    "MAX_PER_PAGE": 50,  # largest page that may be asked for
    "MAX_IDS": 1000,  # values in one list parameter
    "MAX_LINKS": 100,  # venues, organizers, categories or tags given to one event
    "MAX_SEARCH_LENGTH": 200,  # characters of a search
    # characters of each word of a search, below which the answer is 400. With PostgreSQL and very
    # many events, 3 is best: no index finds shorter words, and a search of only those is 400 too
    # once it has taken a quarter of a second
    "MIN_SEARCH_LENGTH": 1,
    "WINDOW_MONTHS": 24,  # how far ahead the event list looks
    "GEOLOC_RADIUS_KM": 25,  # the default of `geoloc_radius`
    "CURRENCY_SYMBOL": "$",  # symbol of the currency of costs
    "CURRENCY_CODE": "USD",  # ISO code of that currency
    "CURRENCY_POSITION": "prefix",  # whether the symbol is a `prefix` or a `postfix`
    "MAX_BODY_BYTES": 2_500_000,  # size of a request, images aside
    "BULK_MAX_EVENTS": 500,  # events in one request to `events/bulk`
    "IDEMPOTENCY_HOURS": 24,  # hours that an `Idempotency-Key` and its answer are kept
    # networks that are not public and may get webhooks, such as `10.0.0.0/8, ::1`
    "WEBHOOK_NETWORKS": "",
    "WEBHOOK_LOG_DAYS": 30,  # how long the deliveries of webhooks are kept
    "HISTORY_DAYS": 365,  # how long the history of records is kept
    "IMAGE_MAX_BYTES": 10_000_000,  # size of an image
    "IMAGE_MAX_PIXELS": 50_000_000,  # pixels of an image
    "IMAGE_MAX_MEMORY": 512_000_000,  # bytes of memory to decode an image and scale its copies
    "IMAGE_FETCH_SECONDS": 20,  # time that another server has to send an image
    "ICAL_MAX_EVENTS": 1000,  # events in one iCalendar answer
    "ICAL_MAX_BYTES": 20_000_000,  # size of an iCalendar file to import
    "ICAL_HORIZON_DAYS": 730,  # how far ahead recurring events are imported
    # networks that are not public and may have feeds to import, such as `10.0.0.0/8, ::1`
    "FEED_NETWORKS": "",
    "FEED_SECONDS": 120,  # time that one import of a feed may take; the next one goes on from there
    "SERIES_HORIZON_DAYS": 730,  # how far ahead the dates of events that repeat are made
    "SERIES_MAX_DATES": 1000,  # dates of a series that one change makes or concerns
    # Content-Security-Policy of the public pages; if empty, the project sets it
    "CONTENT_SECURITY_POLICY": (
        "default-src 'none'; style-src 'self'; img-src * data:; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    # dotted path of a function that returns the address of a request's sender, by default
    # REMOTE_ADDR; this project has its own
    "CLIENT_ADDRESS": "",
    "EDITOR_GROUP": "Editor",  # name of the group that `migrate` creates for editors
    "AUTHOR_GROUP": "Author",  # the same for authors
    "CONTRIBUTOR_GROUP": "Contributor",  # the same for contributors
    # how long a public answer is kept at most; none is kept beyond the next write, and 0 keeps none
    "CACHE_SECONDS": 3600,
}


class Conf:
    """Reads settings on each access, so that ``override_settings`` works."""

    def __getattr__(self, name: str) -> Any:
        try:
            default = DEFAULTS[name]
        except KeyError as e:
            raise AttributeError(f"The calendar has no setting CALENDAR_{name}.") from e
        return getattr(settings, f"CALENDAR_{name}", default)

    def all(self) -> dict[str, Any]:
        """Return all settings that answers may depend on, as {name: value}."""
        project = "TIME_ZONE", "MEDIA_URL", "STORAGES"
        return {name: getattr(self, name) for name in DEFAULTS} | {
            f"project's {name}": getattr(settings, name) for name in project
        }

    @property
    def zone_name(self) -> str:
        return self.TIME_ZONE or settings.TIME_ZONE

    @property
    def zone(self) -> ZoneInfo:
        return ZoneInfo(self.zone_name)

    @property
    def currency(self) -> dict[str, str]:
        return {
            "symbol": self.CURRENCY_SYMBOL,
            "code": self.CURRENCY_CODE,
            "position": self.CURRENCY_POSITION,
        }

    @property
    def webhook_networks(self) -> list[IPv4Network | IPv6Network]:
        """Networks that are not public and that webhooks may lead to; raises ValueError."""
        return _networks(self.WEBHOOK_NETWORKS)

    @property
    def feed_networks(self) -> list[IPv4Network | IPv6Network]:
        """Networks that are not public and that feeds may be in; raises ValueError."""
        return _networks(self.FEED_NETWORKS)

    @property
    def group_names(self) -> dict[str, str]:
        """The name of the group that is made for each role."""
        roles = "Contributor", "Author", "Editor"
        return {role: getattr(self, f"{role.upper()}_GROUP") for role in roles}

    @property
    def is_debug(self) -> bool:
        return settings.DEBUG

    @property
    def uses_aware_times(self) -> bool:
        return settings.USE_TZ

    @property
    def middleware(self) -> list[str]:
        return settings.MIDDLEWARE

    @property
    def keeps_sessions_in_database(self) -> bool:
        return settings.SESSION_ENGINE == "django.contrib.sessions.backends.db"

    @property
    def user_model(self) -> str:
        return settings.AUTH_USER_MODEL


def _networks(names: Any) -> list[IPv4Network | IPv6Network]:
    return [ip_network(part.strip()) for part in str(names).split(",") if part.strip()]


conf = Conf()
