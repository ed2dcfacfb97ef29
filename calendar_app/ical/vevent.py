"""Converts a VEVENT to the values of this calendar."""

import datetime as dt
import hashlib
import re
from dataclasses import astuple, dataclass
from urllib.parse import unquote

from django.utils.html import linebreaks
from icalendar.parser import unescape_backslash

from .text import plain
from .wall_times import place

UNTITLED = "Untitled event"
# Many programs put HTML into DESCRIPTION, although it is plain text.
MARKUP = re.compile(r"<(?:a|b|br|div|em|h[1-6]|i|li|ol|p|span|strong|u|ul)\b[^<>]*>", re.IGNORECASE)
DAY_START, DAY_END = dt.time(), dt.time(23, 59, 59)


@dataclass(frozen=True)
class Entry:
    """One event, or one occurrence of a recurring one."""

    source_id: str
    title: str
    start: dt.datetime  # naive local time in zone
    end: dt.datetime
    zone: str
    all_day: bool
    is_cancelled: bool = False
    description: str = ""  # HTML, not sanitized
    url: str = ""
    website: str = ""
    location: str = ""
    position: tuple[float, float] | None = None  # degrees of latitude and longitude
    organizer: str = ""
    email: str = ""
    categories: tuple[str, ...] = ()
    image: str = ""

    @property
    def version(self) -> str:
        """A hash of all values, the same in every process."""
        return hashlib.sha256(repr(astuple(self)).encode()).hexdigest()


def entry_of(source_id: str, component, zone: str, *, is_utc_local: bool) -> Entry:
    """Return the values of a VEVENT. Raises one of ``recurrence.MALFORMED`` for invalid times.

    ``zone`` is for times without one; see ``wall_times.place``.
    """
    organizer, email = _organizer(component)
    return Entry(
        source_id=source_id,
        title=_line(component, "SUMMARY") or UNTITLED,
        **_times(component, zone, is_utc_local),
        is_cancelled=_line(component, "STATUS").upper() == "CANCELLED",
        description=_description(component),
        url=_line(component, "URL"),
        website=_website(component),
        location=_line(component, "LOCATION"),
        position=_position(component),
        organizer=organizer,
        email=email,
        categories=tuple(filter(None, map(_one_line, component.categories))),
        image=_image(component),
    )


def _times(component, zone, is_utc_local):
    start, end = component.start, component.end
    if not isinstance(start, dt.datetime):
        last = max(start, end - dt.timedelta(days=1))
        return {
            "start": dt.datetime.combine(start, DAY_START),
            "end": dt.datetime.combine(last, DAY_END),
            "zone": zone,
            "all_day": True,
        }
    tzid = component["DTSTART"].params.get("TZID", "")
    wall, name = place(start, tzid, zone, is_utc_local=is_utc_local)
    # The end may be written in another zone than the start; the duration stays the same.
    ends = end.astimezone(start.tzinfo) if start.tzinfo and end.tzinfo else end
    if start.tzinfo:
        ends, _ = place(ends, "", name, is_utc_local=is_utc_local)
    return {"start": wall, "end": max(wall, ends), "zone": name, "all_day": False}


def _all(component, name):
    """Return the values of a property, which may occur more than once."""
    value = component.get(name, [])
    return value if isinstance(value, list) else [value]


def _first(component, name):
    return next(iter(_all(component, name)), "")


def _line(component, name):
    return _one_line(_first(component, name))


def _one_line(text):
    return " ".join(plain(str(text)).split())


def _description(component):
    rich = _first(component, "X-ALT-DESC")
    if rich and rich.params.get("FMTTYPE", "").lower() == "text/html":
        return unescape_backslash(str(rich))
    text = plain(str(_first(component, "DESCRIPTION"))).strip()
    return text if not text or MARKUP.search(text) else linebreaks(text, autoescape=True)


def _website(component):
    """Return the URL of the page about the event, as given by a LINK (RFC 9253)."""
    for link in _all(component, "LINK"):
        if str(link.params.get("LINKREL", "")).lower() == "describedby":
            return _one_line(link)
    return ""


def _position(component):
    geo = _first(component, "GEO")
    if not geo:
        return None
    on_earth = abs(geo.latitude) <= 90 and abs(geo.longitude) <= 180
    return (geo.latitude, geo.longitude) if on_earth else None


def _organizer(component):
    """Return the name and e-mail address of the organizer; "" for what is missing."""
    address = _first(component, "ORGANIZER")
    if not address:
        return "", ""
    is_mail = address.lower().startswith("mailto:")
    email = unquote(address[7:]).strip() if is_mail else ""
    return _one_line(address.params.get("CN", "")) or email, email


def _image(component):
    """Return the URL of the first attachment that is a picture."""
    for value in _all(component, "ATTACH"):
        kind = value.params.get("FMTTYPE", "").lower()
        if kind.startswith("image/") and str(value).startswith(("http://", "https://")):
            return str(value)
    return ""
