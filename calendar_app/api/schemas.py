"""JSON Schemas of the API's responses, for its OpenAPI description."""

from ..models import Status

TEXT = {"type": "string"}
NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}
BOOLEAN = {"type": "boolean"}
URL = {"type": "string", "format": "uri"}
TEXTS = {"type": "array", "items": TEXT}
# Free JSON: schema.org descriptions, custom fields.
ANY_OBJECT = {"type": "object", "additionalProperties": True}
TRIMMED = {**ANY_OBJECT, "description": "The response reduced to the fields named in `_fields`."}
NOTHING = {"type": "array", "maxItems": 0, "items": {}}
STAMP = {
    "type": "string",
    "pattern": r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$",
    "example": "2027-03-01 10:00:00",
}


def record(properties, optional=()):
    """Return the schema of an object that requires all properties except the optional ones."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required}


def either(*schemas, **more):
    return {"oneOf": list(schemas), **more}


DETAILS = record(dict.fromkeys(("year", "month", "day", "hour", "minutes", "seconds"), TEXT))
COST_DETAILS = record(
    {
        "currency_symbol": TEXT,
        "currency_code": TEXT,
        "currency_position": {"type": "string", "enum": ["prefix", "postfix"]},
        "values": TEXTS,
    }
)
SIZE = record(
    {"width": INTEGER, "height": INTEGER, "mime-type": TEXT, "filesize": INTEGER, "url": URL}
)
IMAGE = record(
    {
        "url": URL,
        "id": INTEGER,
        "extension": TEXT,
        "width": INTEGER,
        "height": INTEGER,
        "filesize": INTEGER,
        "sizes": {"type": "object", "additionalProperties": SIZE},
    }
)
TERM_URLS = record({"self": URL, "collection": URL, "up": URL}, optional=["up"])
EMBEDDED_TERM = record(
    {
        "name": TEXT,
        "slug": TEXT,
        "term_group": INTEGER,
        "term_taxonomy_id": INTEGER,
        "taxonomy": TEXT,
        "description": TEXT,
        "parent": INTEGER,
        "count": INTEGER,
        "filter": TEXT,
        "id": INTEGER,
        "urls": TERM_URLS,
    }
)
GLOBAL_IDS = {"global_id": TEXT, "global_id_lineage": TEXTS}
PUBLICATION = {
    "author": TEXT,
    "status": {"type": "string", "enum": Status.values},
    "date": STAMP,
    "date_utc": STAMP,
    "modified": STAMP,
    "modified_utc": STAMP,
}  # fmt: skip
MAP = {"show_map": BOOLEAN, "show_map_link": BOOLEAN}


def event(venue, organizer):
    """Return the schema of an event, given references to those of a venue and an organizer."""
    ends = ("start_date", "end_date", "utc_start_date", "utc_end_date")
    return record(
        {
            "id": INTEGER,
            **GLOBAL_IDS,
            **PUBLICATION,
            "url": URL,
            "rest_url": URL,
            **dict.fromkeys(("title", "description", "excerpt", "slug"), TEXT),
            "image": either(IMAGE, {"type": "boolean", "enum": [False]}),
            "all_day": BOOLEAN,
            **{f"{end}{form}": shape for end in ends for form, shape in _FORMS},
            "timezone": TEXT,
            "timezone_abbr": TEXT,
            "cost": TEXT,
            "cost_details": COST_DETAILS,
            "website": TEXT,
            **MAP,
            **dict.fromkeys(("hide_from_listings", "sticky", "featured"), BOOLEAN),
            "categories": {"type": "array", "items": EMBEDDED_TERM},
            "tags": {"type": "array", "items": EMBEDDED_TERM},
            "venue": either(
                venue,
                {"type": "array", "items": venue},
                description="An object for one venue, a list for none or several.",
            ),
            "organizer": {"type": "array", "items": organizer},
            "ticketed": BOOLEAN,
            "custom_fields": either(ANY_OBJECT, NOTHING),
            "json_ld": ANY_OBJECT,
        },
        optional=["json_ld"],
    )


_FORMS = (("", STAMP), ("_details", DETAILS))

TOMBSTONE = record(
    {
        "id": INTEGER,
        "global_id": TEXT,
        "status": {"type": "string", "enum": ["trash"]},
        "modified_utc": STAMP,
    }
)


def _contact(name, **own):
    texts = dict.fromkeys(("description", "excerpt", "slug"), TEXT)
    optional = ["description", "excerpt", "image", "json_ld", *own]
    properties = {
        "id": INTEGER,
        **PUBLICATION,
        "url": URL,
        name: TEXT,
        **texts,
        "image": IMAGE,
        **own,
        "json_ld": ANY_OBJECT,
        **(MAP if name == "venue" else {}),
        **GLOBAL_IDS,
    }
    return record(properties, optional)


_PLACE = ("address", "city", "country", "province", "state", "zip")
VENUE = _contact(
    "venue",
    **dict.fromkeys((*_PLACE, "phone", "website", "stateprovince"), TEXT),
    geo_lat=NUMBER,
    geo_lng=NUMBER,
)
ORGANIZER = _contact("organizer", phone=TEXT, website=TEXT, email=TEXT)
TAG = record(
    {
        "id": INTEGER,
        "count": INTEGER,
        **dict.fromkeys(("description", "name", "slug", "taxonomy"), TEXT),
        "meta": NOTHING,
        "url": URL,
        "urls": TERM_URLS,
    }
)
CATEGORY = record({**TAG["properties"], "parent": INTEGER})
RECORDS = {
    "Venue": VENUE,
    "Organizer": ORGANIZER,
    "Category": CATEGORY,
    "Tag": TAG,
    "Image": IMAGE,
}
ERROR = record(
    {
        "code": TEXT,
        "message": TEXT,
        "data": {**record({"status": INTEGER}), "additionalProperties": True},
    }
)


def envelope(collection, items):
    """Return the schema of a page of a list, with its records at the key collection."""
    properties = {
        collection: {"type": "array", "items": items},
        "rest_url": URL,
        "next_rest_url": URL,
        "previous_rest_url": URL,
        "total": INTEGER,
        "total_pages": INTEGER,
    }
    return record(properties, optional=["next_rest_url", "previous_rest_url"])


def bulk(event, most):
    """Return the schema of a request with at most that many events, whose fields are event's."""
    ids = {"id": {**INTEGER, "description": "ID of the event to change; without it one is made."}}
    item = {"allOf": [event, {"type": "object", "properties": ids}]}
    events = {"type": "array", "minItems": 1, "maxItems": most, "items": item}
    return record({"events": {**events, "description": "Events to create or to change."}})


def bulk_answer(event, error):
    """Return the schema of the answer to ``bulk``."""
    fields = {"index": INTEGER, "status": INTEGER, "event": event, "error": error}
    results = {"type": "array", "items": record(fields, optional=["event", "error"])}
    counts = dict.fromkeys(("created", "updated", "refused"), INTEGER)
    return record({**counts, "results": results})
