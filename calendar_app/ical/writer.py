"""Writes events as an iCalendar object (RFC 5545), to which calendar programs can subscribe."""

import datetime as dt
import re
from collections.abc import Callable, Iterable
from mimetypes import guess_type

import icalendar
from icalendar import vCalAddress, vDDDTypes, vDuration, vGeo, vText, vUri

from ..conf import conf
from ..models import Event, Status, Tombstone
from ..values import time_zones
from . import series
from .folding import folded
from .text import plain, text_of
from .vtimezone import timezones

PRODUCT = "-//Event calendar//calendar events v1//EN"
UNPUBLISHED = {Status.DRAFT, Status.PENDING}
# RFC 9253: URL is the event's page here, and "describedby" (RFC 8288) the event's own website.
WEBSITE = {"VALUE": "URI", "LINKREL": "describedby", "LABEL": "Website"}
# What names a date of a series in one line: its UID and RECURRENCE-ID.
DATE_OF_SERIES = re.compile(r"/(\d{8}(?:T\d{6}Z)?)$")
REFRESH = dt.timedelta(hours=1)  # the refresh interval suggested to subscribers


def calendar(
    events: Iterable[Event],
    urls,
    *,
    name: str = "Events",
    redacted: Callable[[Event], bool] = lambda event: event.is_protected,
    tombstones: Iterable[Tombstone] = (),
    whole_series: bool = True,
) -> bytes:
    """Return events as iCalendar in UTF-8, with the title name.

    Events must have been loaded by ``representations.load``. Trashed ones and tombstones become
    cancelled events. Of a ``redacted`` event only the title and times are written; by default
    these are all events with a password. With ``whole_series`` an event of a series stands for all
    of its public dates, as a rule.
    """
    events = list(events)
    groups = series.groups(events) if whole_series else {}
    result = icalendar.Calendar()
    result.add("PRODID", PRODUCT)
    result.add("VERSION", "2.0")
    result.add("CALSCALE", "GREGORIAN")
    result.add("METHOD", "PUBLISH")
    result.add("NAME", plain(name))
    result.add("X-WR-CALNAME", plain(name))
    result.add("X-WR-TIMEZONE", conf.zone_name)
    # RFC 7986, and what programs used before it.
    result.add("REFRESH-INTERVAL", REFRESH, {"VALUE": "DURATION"})
    result.add("X-PUBLISHED-TTL", vDuration(REFRESH))
    result.subcomponents += timezones(_years_by_zone(events, groups))
    result.subcomponents += [_cancellation(tombstone, urls) for tombstone in tombstones]
    for event in events:
        group = groups.get(event.series_id)
        if group is None:
            result.add_component(_vevent(event, urls, redacted(event)))
        elif group.template is None:
            result.add_component(_named(event, group, urls, redacted))
        elif group.is_unwritten():
            result.subcomponents += _recurring(group, urls, redacted)
    return folded(result.content_lines())


def location(venue) -> str:
    """Return a venue in one line: its name, address and town."""
    town = " ".join(filter(None, [venue.zip, venue.city]))
    parts = [venue.name, venue.address, town, venue.region, venue.country]
    return plain(", ".join(filter(None, dict.fromkeys(parts))))


def _recurring(group, urls, redacted):
    """Return the VEVENT of a series, and one for each date that differs from it."""
    first = _vevent(group.template, urls, redacted(group.template))
    group.add_rule(first)
    changed = [event for event in group.events if group.differs(event)]
    return [first, *(_named(event, group, urls, redacted) for event in changed)]


def _named(event, group, urls, redacted):
    entry = _vevent(event, urls, redacted(event))
    group.name(entry, event)
    return entry


def _years_by_zone(events, groups):
    spans = dict(filter(None, (group.years() for group in groups.values())))
    shown = [each for group in groups.values() for each in group.events if each.end_date]
    for event in [*events, *shown]:
        if _has_zone(event):
            first, last = spans.get(event.timezone, (event.start_date.year, event.end_date.year))
            spans[event.timezone] = (
                min(first, event.start_date.year),
                max(last, event.end_date.year),
            )
    return spans


def _has_zone(event):
    """Return whether event's times are written with a TZID, not in UTC or as days."""
    return not event.all_day and not event.timezone.startswith("UTC")


def _cancellation(tombstone, urls):
    entry = icalendar.Event()
    uid = tombstone.source_id or urls.global_id(tombstone.record_id)
    if date := DATE_OF_SERIES.search(uid):
        uid = uid[: date.start()]
        entry.add("RECURRENCE-ID", vDDDTypes.from_ical(date[1]))
    entry.add("UID", uid)
    entry.add("DTSTAMP", tombstone.modified_utc)
    entry.add("DTSTART", tombstone.start_utc.astimezone(dt.UTC))
    entry.add("STATUS", "CANCELLED")
    return entry


def _vevent(event, urls, redacted):
    entry = icalendar.Event()
    # An imported event has the UID of its source, so that a reader of both shows it once.
    entry.add("UID", event.source_id or urls.global_id(event.pk))
    entry.add("DTSTAMP", event.modified_utc)
    _add_times(entry, event)
    if event.is_trashed:
        entry.add("STATUS", "CANCELLED")
        return entry
    entry.add("CREATED", event.date_utc)
    entry.add("LAST-MODIFIED", event.modified_utc)
    entry.add("SUMMARY", plain(event.title))
    entry.add("STATUS", "TENTATIVE" if event.status in UNPUBLISHED else "CONFIRMED")
    entry.add("URL", urls.page(event))
    if not redacted:
        _add_details(entry, event, urls)
    return entry


def _add_times(entry, event):
    """Add the start, and the end if it is later (3.6.1)."""
    if event.all_day:
        entry.add("DTSTART", event.start_date.date())
        if event.end_date.date() < dt.date.max:
            entry.add("DTEND", event.end_date.date() + dt.timedelta(days=1))
        return
    entry.add("DTSTART", _moment(event, event.start_date, event.start_utc))
    if event.end_utc > event.start_utc:
        entry.add("DTEND", _moment(event, event.end_date, event.end_utc))


def _moment(event, wall, instant):
    zone = time_zones.get(event.timezone)
    # Programs disagree on which instant an ambiguous local time means, so it is written in UTC.
    if not _has_zone(event) or time_zones.is_ambiguous(wall, zone):
        return instant.astimezone(dt.UTC)
    return wall.replace(tzinfo=zone)


def _add_details(entry, event, urls):
    if event.website:
        entry.add("LINK", vUri(event.website, params=WEBSITE))
    if event.description:
        entry.add("DESCRIPTION", text_of(event.description))
        html = vText(plain(event.description))
        html.params["FMTTYPE"] = "text/html"
        entry.add("X-ALT-DESC", html)
    _add_place(entry, event.linked.venues)
    _add_people(entry, event.linked.organizers, urls)
    if names := [plain(category.name) for category in event.linked.categories]:
        entry.add("CATEGORIES", names)
    if event.image:
        entry.add("ATTACH", _picture(event.image, urls))


def _add_place(entry, venues):
    if not venues:
        return
    entry.add("LOCATION", "; ".join(map(location, venues)))
    if located := [venue for venue in venues if venue.geo_lat is not None]:
        entry.add("GEO", vGeo((located[0].geo_lat, located[0].geo_lng)))


def _add_people(entry, organizers, urls):
    """Add the first as ORGANIZER, which may occur once (3.6.1), and the others as CONTACT."""
    for organizer in organizers[:1]:
        # A calendar address is any URI (3.3.3): without an e-mail address, the organizer's page.
        mail = f"mailto:{organizer.email}" if organizer.email else urls.page(organizer)
        address = vCalAddress(mail)
        address.params["CN"] = plain(organizer.name).replace("\n", " ").replace('"', "'")
        entry.add("ORGANIZER", address)
    for organizer in organizers[1:]:
        parts = (organizer.name, organizer.email, organizer.phone)
        entry.add("CONTACT", plain(", ".join(filter(None, parts))))


def _picture(image, urls):
    picture = vUri(urls.absolute(image.file.url))
    if kind := guess_type(image.file.name)[0]:
        picture.params["FMTTYPE"] = kind
    return picture
