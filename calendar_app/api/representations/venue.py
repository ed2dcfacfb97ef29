from . import json_ld
from .post import global_ids, named, without_empty


def venue(record, urls, *, full=False):
    """Return the representation of a venue; ``full`` adds json_ld."""
    fields = without_empty(named(record, urls) | _place(record))
    if full:
        fields["json_ld"] = json_ld.place(fields)
    return {
        **fields,
        "show_map": record.show_map,
        "show_map_link": record.show_map_link,
        **global_ids(record, urls),
    }


def _place(record):
    return {
        "address": record.address,
        "city": record.city,
        "country": record.country,
        "province": record.province,
        "state": record.state,
        "zip": record.zip,
        "phone": record.phone,
        "website": record.website,
        "stateprovince": record.region,
        "geo_lat": record.geo_lat,
        "geo_lng": record.geo_lng,
    }
