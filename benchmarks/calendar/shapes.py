"""The calendar's JSON, made of rows with their columns in a known order."""

import re
from datetime import datetime, timezone
from functools import lru_cache
from urllib.parse import quote, urlencode

import orjson

from calendar_app.values import cost

P = "/calendar/events/v1"
POST = (
    "t.id, t.image_id, t.author_id, t.status, CAST(t.date AS text), CAST(t.date_utc AS text), "
    "CAST(t.modified AS text), CAST(t.modified_utc AS text), t.slug, t.description, t.excerpt, "
    "CAST(t.global_id_lineage AS text), "
)
EVENT = POST + (
    "t.title, t.all_day, CAST(t.start_date AS text), CAST(t.end_date AS text), "
    "CAST(t.start_utc AS text), CAST(t.end_utc AS text), t.timezone, t.timezone_abbr, t.cost, "
    "t.website, t.show_map, t.show_map_link, t.hide_from_listings, t.sticky, t.featured, "
    "t.ticketed, CAST(t.custom_fields AS text)"
)
VENUE = POST + (
    "t.name, t.address, t.city, t.country, t.province, t.state, t.zip, t.phone, t.website, "
    "t.stateprovince, t.geo_lat, t.geo_lng, t.show_map, t.show_map_link"
)
ORGANIZER = POST + "t.name, t.phone, t.website, t.email"
TAG = "t.id, t.name, t.slug, t.description, t.count"
CATEGORY = f"{TAG}, t.parent_id"
IMAGE = "t.id, t.file, t.width, t.height, t.filesize, CAST(t.sizes AS text)"
PLACE = "address city country province state zip phone website stateprovince geo_lat geo_lng"
PLACE = PLACE.split()
FLAGS = ["show_map", "show_map_link", "hide_from_listings", "sticky", "featured"]
CONTEXT = {"@context": "https://schema.org"}
GEO = {"@type": "GeoCoordinates"}
# Records that many events share are shaped once, which only makes the floor lower.
remembered = lru_cache(10_000)
parse_cost = remembered(cost.parse)


def events(rows, linked, images, base, detail=False):
    """Return the events of rows; linked is rows by kind, images is objects by ID."""
    categories = _by_event(linked["categories"], lambda row: category(row, base))
    tags = _by_event(linked["tags"], lambda row: term(row, base, "tags", "post_tag", 0))
    venues = _by_event(linked["venue"], lambda row: venue(row, base, detail))
    organizers = _by_event(linked["organizer"], lambda row: organizer(row, base, detail))
    found = []
    for row in rows:
        pk = row[0]
        at = venues.get(pk, [])
        fields = event(row, images, base)
        fields["categories"] = categories.get(pk, [])
        fields["tags"] = tags.get(pk, [])
        fields["venue"] = at[0] if len(at) == 1 else at
        fields["organizer"] = organizers.get(pk, [])
        fields["ticketed"] = bool(row[27])
        fields["custom_fields"] = orjson.loads(row[28]) or []
        found.append(fields)
    return found


def event(row, images, base):
    start, end, utc_start, utc_end = (moment[:19] for moment in row[14:18])
    price = parse_cost(row[20])
    page = f"{base}/event/{row[8]}/"
    return {
        "id": row[0],
        **global_ids(row, base),
        **publication(row),
        "url": page,
        "rest_url": f"{base}{P}/events/{row[0]}",
        "title": row[12],
        "description": row[9],
        "excerpt": row[10],
        "slug": row[8],
        "image": images.get(row[1], False),
        "all_day": bool(row[13]),
        "start_date": start,
        "start_date_details": details(start),
        "end_date": end,
        "end_date_details": details(end),
        "utc_start_date": utc_start,
        "utc_start_date_details": details(utc_start),
        "utc_end_date": utc_end,
        "utc_end_date_details": details(utc_end),
        "timezone": row[18],
        "timezone_abbr": row[19],
        "cost": price.text,
        "cost_details": price.details,
        "website": row[21] or page,
        **dict(zip(FLAGS, map(bool, row[22:27]), strict=True)),
    }


@remembered
def venue(row, base, detail=False):
    fields = {
        "id": row[0],
        **publication(row),
        "url": f"{base}/venue/{row[8]}/",
        "venue": row[12],
        "description": row[9],
        "excerpt": row[10],
        "slug": row[8],
        **dict(zip(PLACE, row[13:24], strict=True)),
    }
    fields = without_empty(fields)
    if detail:
        geo = {"latitude": fields["geo_lat"], "longitude": fields["geo_lng"]}
        named = {**thing("Place", fields["venue"], fields), "geo": {**GEO, **geo}}
        fields["json_ld"] = {**CONTEXT, **named}
    fields["show_map"], fields["show_map_link"] = bool(row[24]), bool(row[25])
    return fields | global_ids(row, base)


@remembered
def organizer(row, base, detail=False):
    fields = {
        "id": row[0],
        **publication(row),
        "url": f"{base}/organizer/{row[8]}/",
        "organizer": row[12],
        "description": row[9],
        "excerpt": row[10],
        "slug": row[8],
        "phone": row[13],
        "website": row[14],
        "email": row[15],
    }
    fields = without_empty(fields)
    if detail:
        fields["json_ld"] = {**CONTEXT, **thing("Organization", fields["organizer"], fields)}
    return fields | global_ids(row, base)


@remembered
def category(row, base):
    fields = term(row, base, "categories", "tribe_events_cat", row[5] or 0)
    if row[5]:
        fields["urls"]["up"] = f"{base}{P}/categories/{row[5]}"
    return fields


@remembered
def term(row, base, collection, taxonomy, parent):
    address = f"{base}{P}/{collection}"
    return {
        "name": row[1],
        "slug": row[2],
        "term_group": 0,
        "term_taxonomy_id": row[0],
        "taxonomy": taxonomy,
        "description": row[3],
        "parent": parent,
        "count": row[4],
        "filter": "raw",
        "id": row[0],
        "urls": {"self": f"{address}/{row[0]}", "collection": address},
    }


def listed_category(row, base):
    return listed(row, base, "category", "categories", "tribe_events_cat", {"parent": row[5] or 0})


def listed_tag(row, base):
    return listed(row, base, "tag", "tags", "post_tag", {})


def listed(row, base, kind, collection, taxonomy, more):
    """Return a term as the lists of terms show it."""
    address = f"{base}{P}/{collection}"
    return {
        "id": row[0],
        "count": row[4],
        "description": row[3],
        "name": row[1],
        "slug": row[2],
        "taxonomy": taxonomy,
        **more,
        "meta": [],
        "url": f"{base}/{kind}/{row[2]}/",
        "urls": {"self": f"{address}/{row[0]}", "collection": address},
    }


@remembered
def image(row, base):
    sizes = orjson.loads(row[5])
    return {
        "url": f"{base}/media/{row[1]}",
        "id": row[0],
        "extension": row[1].rpartition(".")[2],
        "width": row[2],
        "height": row[3],
        "filesize": row[4],
        "sizes": {kind: _size(size, base) for kind, size in sizes.items()},
    }


def publication(row):
    return {
        "author": str(row[2] or 0),
        "status": row[3],
        "date": row[4][:19],
        "date_utc": row[5][:19],
        "modified": row[6][:19],
        "modified_utc": row[7][:19],
    }


def global_ids(row, base):
    own = f"{base[7:]}?id={row[0]}"
    return {"global_id": own, "global_id_lineage": [*orjson.loads(row[11]), own]}


def details(stamp):
    return {
        "year": stamp[:4],
        "month": stamp[5:7],
        "day": stamp[8:10],
        "hour": stamp[11:13],
        "minutes": stamp[14:16],
        "seconds": stamp[17:],
    }


def without_empty(fields):
    return {name: v for name, v in fields.items() if v is not None and v is not False and v != ""}


def envelope(name, found, address, query, page, total):
    """Return the page with its links; query is that of the request."""
    pages = -(-total // 10)
    query = {key: value for key, value in query.items() if key != "page"}
    first = f"{address}?{urlencode(query, quote_via=quote)}" if query else address
    other = f"{first}{'&' if query else '?'}page="
    body = {name: found, "rest_url": f"{other}{page}" if page > 1 else first}
    if page < pages:
        body["next_rest_url"] = f"{other}{page + 1}"
    if page > 1:
        body["previous_rest_url"] = f"{other}{page - 1}"
    return body | {"total": total, "total_pages": pages}


def _size(size, base):
    shown = {name: size[name] for name in ("width", "height", "mime-type", "filesize")}
    return shown | {"url": f"{base}/media/{size['file']}"}


def _by_event(rows, shape):
    """Return the linked records of each event; a row begins with the event's ID."""
    found = {}
    for row in rows:
        found.setdefault(row[0], []).append(shape(row[1:]))
    return found


def json_ld(event):
    """Return the schema.org Event of a generated event: one venue, one organizer, simple HTML."""
    [organizer], place = event["organizer"], event["venue"]
    found = {
        **CONTEXT,
        "@type": "Event",
        "name": event["title"],
        "description": " ".join(re.sub("<[^>]*>", " ", event["description"]).split()),
        "image": event["image"]["url"],
        "url": event["url"],
        "eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
        "eventStatus": "https://schema.org/EventScheduled",
        "startDate": _instant(event["start_date"], event["utc_start_date"]),
        "endDate": _instant(event["end_date"], event["utc_end_date"]),
        "location": {k: v for k, v in place["json_ld"].items() if k != "@context"},
        "organizer": thing("Organization", organizer["organizer"], organizer),
    }
    if prices := event["cost_details"]["values"]:
        found["offers"] = _offer(event, prices)
    return found | {"performer": {"@type": "Organization", "name": organizer["organizer"]}}


def thing(kind, name, fields):
    return {"@type": kind, "name": name, "url": fields["url"]}


def _offer(event, prices):
    price = {"@type": "Offer", "price": prices[0]}
    if len(prices) > 1:
        price = {"@type": "AggregateOffer", "lowPrice": prices[0], "highPrice": prices[-1]}
    return price | {
        "priceCurrency": event["cost_details"]["currency_code"],
        "url": event["url"],
        "availability": "https://schema.org/InStock",
        "validFrom": _instant(event["date"], event["date_utc"]),
    }


def _instant(wall, utc):
    local = datetime.fromisoformat(wall)
    return local.replace(tzinfo=timezone(local - datetime.fromisoformat(utc))).isoformat()
