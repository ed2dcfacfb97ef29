from functools import lru_cache

from ...conf import conf
from ...values import cost
from . import json_ld
from .image import image
from .organizer import organizer
from .post import global_ids, publication
from .term import embedded_term
from .times import details, stamp
from .venue import venue


def event(record, urls, *, redacted=False, full=False):
    """Return the representation of an event.

    ``redacted`` omits what a password protects; ``full`` adds json_ld, also to the venues and
    organizers.
    """
    fields = {
        **_description(record, urls),
        **_times(record),
        **_cost(record.cost),
        "website": record.website or urls.page(record),
        **_flags(record),
        **_links(record, urls, full),
        "ticketed": record.ticketed,
        "custom_fields": record.custom_fields or [],
    }
    if redacted:
        fields.update(_redactions())
    if full:
        fields["json_ld"] = json_ld.event(fields)
    return fields


def _description(record, urls):
    return {
        "id": record.pk,
        **global_ids(record, urls),
        **publication(record),
        "url": urls.page(record),
        "rest_url": urls.rest("events", record.pk),
        "title": record.title,
        "description": record.description,
        "excerpt": record.excerpt,
        "slug": record.slug,
        "image": image(record.image, urls),
    }


def _times(record):
    start, end = stamp(record.start_date), stamp(record.end_date)
    utc_start, utc_end = stamp(record.start_utc), stamp(record.end_utc)
    return {
        "all_day": record.all_day,
        "start_date": start,
        "start_date_details": details(start),
        "end_date": end,
        "end_date_details": details(end),
        "utc_start_date": utc_start,
        "utc_start_date_details": details(utc_start),
        "utc_end_date": utc_end,
        "utc_end_date_details": details(utc_end),
        "timezone": record.timezone,
        "timezone_abbr": record.timezone_abbr,
    }


def _cost(text):
    return _read_cost(text, **conf.currency)


@lru_cache(maxsize=1024)
def _read_cost(text, symbol, code, position):
    # Cached because many events share the same few costs.
    parsed = cost.parse(text, symbol=symbol, code=code, position=position)
    return {"cost": parsed.text, "cost_details": parsed.details}


def _flags(record):
    return {
        "show_map": record.show_map,
        "show_map_link": record.show_map_link,
        "hide_from_listings": record.hide_from_listings,
        "sticky": record.sticky,
        "featured": record.featured,
    }


def _links(record, urls, full):
    linked = record.linked
    venues = [venue(each, urls, full=full) for each in linked.venues]
    return {
        "categories": [embedded_term(term, urls) for term in linked.categories],
        "tags": [embedded_term(term, urls) for term in linked.tags],
        "venue": venues[0] if len(venues) == 1 else venues,
        "organizer": [organizer(each, urls, full=full) for each in linked.organizers],
    }


def _redactions():
    return {
        "description": "",
        "excerpt": "",
        "image": False,
        **_cost(""),
        "website": "",
        "categories": [],
        "tags": [],
        "venue": [],
        "organizer": [],
        "custom_fields": [],
    }
