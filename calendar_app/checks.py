"""System checks of the ``CALENDAR_`` settings."""

from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from django.core.checks import Error, Tags, register

from .conf import DEFAULTS, conf

MAY_BE_ZERO = {"CACHE_SECONDS"}


@register(Tags.compatibility)
def check_settings(**kwargs):
    """Return an error for each setting whose value cannot work."""
    return [*_wrong_numbers(), *_wrong_zone(), *_wrong_base_url(), *_wrong_position()]


def _wrong_numbers():
    for name, default in DEFAULTS.items():
        value, least = getattr(conf, name), 0 if name in MAY_BE_ZERO else 1
        if type(default) is int and (type(value) is not int or value < least):
            yield Error(
                f"CALENDAR_{name} is {value!r}, which is not a whole number from {least} up.",
                hint=f"The default is {default}.",
                id="calendar_app.E001",
            )


def _wrong_zone():
    try:
        ZoneInfo(conf.zone_name)
    except (ZoneInfoNotFoundError, ValueError):
        yield Error(
            f"CALENDAR_TIME_ZONE is {conf.zone_name!r}, which is no zone of the IANA database.",
            hint="Use a name such as 'Europe/Paris', or 'UTC'.",
            id="calendar_app.E002",
        )


def _wrong_base_url():
    url = urlsplit(conf.BASE_URL)
    if conf.BASE_URL and not (url.scheme in {"http", "https"} and url.netloc):
        yield Error(
            f"CALENDAR_BASE_URL is {conf.BASE_URL!r}, which is not an absolute http(s) URL.",
            hint="Use the scheme and the host, such as 'https://example.org'.",
            id="calendar_app.E003",
        )


def _wrong_position():
    if conf.CURRENCY_POSITION not in {"prefix", "postfix"}:
        yield Error(
            f"CALENDAR_CURRENCY_POSITION is {conf.CURRENCY_POSITION!r}.",
            hint="Use 'prefix' or 'postfix'.",
            id="calendar_app.E004",
        )
