from . import json_ld
from .post import global_ids, named, without_empty


def organizer(record, urls, *, full=False):
    """Return the representation of an organizer; ``full`` adds json_ld."""
    contact = {"phone": record.phone, "website": record.website, "email": record.email}
    fields = without_empty(named(record, urls) | contact)
    if full:
        fields["json_ld"] = json_ld.organization(fields)
    return {**fields, **global_ids(record, urls)}
