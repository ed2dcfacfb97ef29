from . import json_ld
from .image import image
from .post import global_ids, publication, without_empty


def organizer(record, urls, *, full=False):
    """Return the representation of an organizer; ``full`` adds json_ld."""
    fields = without_empty(_description(record, urls))
    if full:
        fields["json_ld"] = json_ld.organization(fields)
    return {**fields, **global_ids(record, urls)}


def _description(record, urls):
    return {
        "id": record.pk,
        **publication(record),
        "url": urls.page(record),
        "organizer": record.name,
        "description": record.description,
        "excerpt": record.excerpt,
        "slug": record.slug,
        "image": image(record.image, urls),
        "phone": record.phone,
        "website": record.website,
        "email": record.email,
    }
