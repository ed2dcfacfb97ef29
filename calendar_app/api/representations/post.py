"""What the representations of events, venues and organizers have in common."""

from ...models import Status
from .times import stamp


def global_ids(post, urls):
    """Return post's own global ID, and those of what it was copied from before it."""
    own = urls.global_id(post.pk)
    return {"global_id": own, "global_id_lineage": [*post.global_id_lineage, own]}


def tombstone(record, urls):
    """Return what tells a mirror that a record has left its list."""
    return {
        "id": record.record_id,
        "global_id": urls.global_id(record.record_id),
        "status": Status.TRASH.value,
        "modified_utc": stamp(record.modified_utc),
    }


def publication(post):
    """Return who wrote post (a user ID as a string, "0" for nobody), its status and its dates."""
    return {
        "author": str(post.author_id or 0),
        "status": post.status,
        "date": stamp(post.date),
        "date_utc": stamp(post.date_utc),
        "modified": stamp(post.modified),
        "modified_utc": stamp(post.modified_utc),
    }


def without_empty(fields):
    """Return fields without empty texts, False and None; a coordinate of 0 stays."""
    return {
        name: value
        for name, value in fields.items()
        if value is not None and value is not False and value != ""
    }
