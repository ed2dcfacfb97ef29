"""Descriptions for search engines (schema.org), made from the representations."""

import datetime as dt
import html
import re

import nh3

CONTEXT = {"@context": "https://schema.org"}
BLOCK_ENDS = re.compile(r"<(?=br|hr|/(?:p|div|li|dt|dd|td|th|tr|h[1-6]|pre|blockquote)\b)")
TEXT_ONLY = nh3.Cleaner(tags=set())


def event(fields):
    """Return the schema.org Event for the representation of an event with json_ld in its links."""
    venues = fields["venue"] if isinstance(fields["venue"], list) else [fields["venue"]]
    organizers = [_nested(linked) for linked in fields["organizer"]]
    return {
        **_thing("Event", fields["title"], fields),
        "eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
        "eventStatus": "https://schema.org/EventScheduled",
        "startDate": _instant(fields["start_date"], fields["utc_start_date"]),
        "endDate": _instant(fields["end_date"], fields["utc_end_date"]),
        **_present(
            location=_one_or_many([_nested(linked) for linked in venues]),
            organizer=_one_or_many(organizers),
            offers=_offers(fields),
            performer=_one_or_many([_named(linked) for linked in organizers]),
        ),
    }


def place(fields):
    """Return the schema.org Place for the representation of a venue."""
    return {
        **_thing("Place", fields["venue"], fields),
        **_present(
            address=_address(fields),
            geo=_position(fields),
            telephone=fields.get("phone"),
            sameAs=fields.get("website"),
        ),
    }


def organization(fields):
    """Return the schema.org Organization for the representation of an organizer."""
    return {
        **_thing("Organization", fields["organizer"], fields),
        **_present(
            telephone=fields.get("phone"),
            email=fields.get("email"),
            sameAs=fields.get("website"),
        ),
    }


def text_of(rich_text):
    """Return the text of HTML in one line."""
    spaced = BLOCK_ENDS.sub(" <", rich_text)
    return " ".join(html.unescape(TEXT_ONLY.clean(spaced)).split())


def _thing(kind, name, fields):
    picture = fields.get("image") or {}
    return {
        **CONTEXT,
        "@type": kind,
        "name": name,
        **_present(
            description=text_of(fields.get("description", "")),
            image=picture.get("url"),
            url=fields["url"],
        ),
    }


def _instant(wall, utc):
    """Return a wall time in ISO 8601 with its offset from UTC."""
    local = dt.datetime.fromisoformat(wall)
    offset = local - dt.datetime.fromisoformat(utc)
    return local.replace(tzinfo=dt.timezone(offset)).isoformat()


def _address(fields):
    lines = _present(
        streetAddress=fields.get("address"),
        addressLocality=fields.get("city"),
        addressRegion=fields.get("stateprovince"),
        postalCode=fields.get("zip"),
        addressCountry=fields.get("country"),
    )
    return lines and {"@type": "PostalAddress", **lines}


def _position(fields):
    if "geo_lat" not in fields:
        return None
    return {
        "@type": "GeoCoordinates",
        "latitude": fields["geo_lat"],
        "longitude": fields["geo_lng"],
    }


def _offers(fields):
    """Return an Offer, or an AggregateOffer for several prices; a cost in words is described."""
    offer = {
        "url": fields["url"],
        "availability": "https://schema.org/InStock",
        "validFrom": _instant(fields["date"], fields["date_utc"]),
    }
    currency = {"priceCurrency": fields["cost_details"]["currency_code"]}
    match prices := fields["cost_details"]["values"]:
        case []:
            return None
        case [price] if _is_number(price):
            return {"@type": "Offer", "price": price, **currency, **offer}
        case [_]:
            return {"@type": "Offer", "description": fields["cost"], **offer}
    return {
        "@type": "AggregateOffer",
        "lowPrice": prices[0],
        "highPrice": prices[-1],
        **currency,
        **offer,
    }


def _is_number(value):
    return value.replace(".", "", 1).isdigit()


def _nested(linked):
    return {key: value for key, value in linked["json_ld"].items() if key not in CONTEXT}


def _named(thing):
    return {"@type": thing["@type"], "name": thing["name"]}


def _one_or_many(things):
    return things[0] if len(things) == 1 else things


def _present(**fields):
    return {name: value for name, value in fields.items() if value}
