"""The calendar's JSON, made from rows of a known order as straight as Python can."""

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
parse_cost = lru_cache(cost.parse)


def events(rows, linked, images, base):
    """Return the events of rows; linked is rows by kind, images is objects by ID."""
    categories = _by_event(linked["categories"], lambda row: category(row, base))
    tags = _by_event(linked["tags"], lambda row: term(row, base, "tags", "post_tag", 0))
    venues = _by_event(linked["venue"], lambda row: venue(row, images, base))
    organizers = _by_event(linked["organizer"], lambda row: organizer(row, images, base))
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


def venue(row, images, base):
    fields = {
        "id": row[0],
        **publication(row),
        "url": f"{base}/venue/{row[8]}/",
        "venue": row[12],
        "description": row[9],
        "excerpt": row[10],
        "slug": row[8],
        "image": images.get(row[1], False),
        **dict(zip(PLACE, row[13:24], strict=True)),
    }
    fields = without_empty(fields)
    fields["show_map"], fields["show_map_link"] = bool(row[24]), bool(row[25])
    return fields | global_ids(row, base)


def organizer(row, images, base):
    fields = {
        "id": row[0],
        **publication(row),
        "url": f"{base}/organizer/{row[8]}/",
        "organizer": row[12],
        "description": row[9],
        "excerpt": row[10],
        "slug": row[8],
        "image": images.get(row[1], False),
        "phone": row[13],
        "website": row[14],
        "email": row[15],
    }
    return without_empty(fields) | global_ids(row, base)


def category(row, base):
    fields = term(row, base, "categories", "tribe_events_cat", row[5] or 0)
    if row[5]:
        fields["urls"]["up"] = f"{base}{P}/categories/{row[5]}"
    return fields


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


def envelope(found, address, query, page, total):
    """Return the page with its links; query is that of the request."""
    pages = -(-total // 10)
    body = {"events": found, "rest_url": _link(address, query, page if page > 1 else None)}
    if page < pages:
        body["next_rest_url"] = _link(address, query, page + 1)
    if page > 1:
        body["previous_rest_url"] = _link(address, query, page - 1)
    return body | {"total": total, "total_pages": pages}


def _link(address, query, page):
    sent = {**query, "page": page} if page else query
    return f"{address}?{urlencode(sent, quote_via=quote)}"


def _size(size, base):
    shown = {name: size[name] for name in ("width", "height", "mime-type", "filesize")}
    return shown | {"url": f"{base}/media/{size['file']}"}


def _by_event(rows, shape):
    # Each row begins with the event's ID; the same record is shaped once.
    known, found = {}, {}
    for event_id, *row in rows:
        if row[0] not in known:
            known[row[0]] = shape(row)
        found.setdefault(event_id, []).append(known[row[0]])
    return found
