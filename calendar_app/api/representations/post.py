"""Parts shared by the representations of events, venues and organizers."""

from ...models import Status
from .image import image
from .times import stamp


def global_ids(post, urls):
    """Return post's global ID, and its lineage: the IDs of the records it was imported from."""
    own = urls.global_id(post.pk)
    return {"global_id": own, "global_id_lineage": [*post.global_id_lineage, own]}


def tombstone(record, urls):
    """Return the representation of a tombstone: it tells a mirror to delete the record."""
    return {
        "id": record.record_id,
        "global_id": urls.global_id(record.record_id),
        "status": Status.TRASH.value,
        "modified_utc": stamp(record.modified_utc),
    }


def publication(post):
    """Return the author of post (a user ID as a string, "0" for none), its status and dates."""
    return {
        "author": str(post.author_id or 0),
        "status": post.status,
        "date": stamp(post.date),
        "date_utc": stamp(post.date_utc),
        "modified": stamp(post.modified),
        "modified_utc": stamp(post.modified_utc),
    }


def named(post, urls):
    """Return the fields that venues and organizers share, with the name at the key of the model."""
    return {
        "id": post.pk,
        **publication(post),
        "url": urls.page(post),
        post._meta.model_name: post.name,
        "description": post.description,
        "excerpt": post.excerpt,
        "slug": post.slug,
        "image": image(post.image, urls),
    }


def without_empty(fields):
    """Return fields without empty texts, False and None, but with numbers that are 0."""
    return {
        name: value
        for name, value in fields.items()
        if value is not None and value is not False and value != ""
    }
