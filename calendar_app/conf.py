"""The app's settings, ``CALENDAR_<NAME>`` in the project, and their defaults."""

from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings

DEFAULTS: dict[str, Any] = {
    # Scheme and host of links, "https://example.org"; "" = those of the request.
    "BASE_URL": "",
    "TIME_ZONE": "",  # IANA name of the site's zone; "" = the project's TIME_ZONE
    "PER_PAGE": 10,
    "MAX_PER_PAGE": 50,
    "MAX_IDS": 1000,  # values in one list parameter
    "MAX_LINKS": 100,  # venues, organizers, categories or tags of one event
    "MAX_SEARCH_LENGTH": 200,
    "MIN_SEARCH_LENGTH": 1,  # characters of each word of a search
    "WINDOW_MONTHS": 24,  # how far ahead the event list looks by default
    "GEOLOC_RADIUS_KM": 25,  # default of geoloc_radius
    "CURRENCY_SYMBOL": "$",
    "CURRENCY_CODE": "USD",
    "CURRENCY_POSITION": "prefix",  # or "postfix"
    "MAX_BODY_BYTES": 2_500_000,
    "IMAGE_MAX_BYTES": 10_000_000,
    "IMAGE_MAX_PIXELS": 50_000_000,
    "IMAGE_MAX_MEMORY": 512_000_000,  # bytes, to decode an image and scale its copies
    "IMAGE_FETCH_SECONDS": 20,
    "ICAL_MAX_EVENTS": 1000,
    "ICAL_MAX_BYTES": 20_000_000,  # of an imported calendar
    "ICAL_HORIZON_DAYS": 730,  # how far ahead recurring events are imported
    # Content-Security-Policy of the public pages; "" = the project sets it.
    "CONTENT_SECURITY_POLICY": (
        "default-src 'none'; style-src 'self'; img-src * data:; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "CLIENT_ADDRESS": "",  # dotted path of a function(request) -> address; "" = REMOTE_ADDR
    # Names of the groups that "migrate" creates.
    "EDITOR_GROUP": "Editor",
    "AUTHOR_GROUP": "Author",
    "CONTRIBUTOR_GROUP": "Contributor",
    "CACHE_SECONDS": 3600,  # that public responses are cached while they hold; 0 = not at all
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
    def group_names(self) -> dict[str, str]:
        """The name of the group that is made for each role."""
        roles = "Contributor", "Author", "Editor"
        return {role: getattr(self, f"{role.upper()}_GROUP") for role in roles}

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


conf = Conf()
