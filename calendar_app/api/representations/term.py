"""Categories and tags: on their own routes, and embedded in events."""


def category(record, urls):
    fields = {**_own(record), "parent": record.parent_id or 0}
    return fields | _links(record, urls)


def tag(record, urls):
    return _own(record) | _links(record, urls)


def embedded_term(record, urls):
    """Return the representation of a category or tag inside an event."""
    return {
        "name": record.name,
        "slug": record.slug,
        "term_group": 0,
        "term_taxonomy_id": record.pk,
        "taxonomy": record.taxonomy,
        "description": record.description,
        "parent": getattr(record, "parent_id", None) or 0,
        "count": record.count,
        "filter": "raw",
        "id": record.pk,
        "urls": _rest_urls(record, urls),
    }


def _own(record):
    return {
        "id": record.pk,
        "count": record.count,
        "description": record.description,
        "name": record.name,
        "slug": record.slug,
        "taxonomy": record.taxonomy,
    }


def _links(record, urls):
    return {"meta": [], "url": urls.page(record), "urls": _rest_urls(record, urls)}


def _rest_urls(record, urls):
    collection = record.event_field
    links = {"self": urls.rest(collection, record.pk), "collection": urls.rest(collection)}
    if parent := getattr(record, "parent_id", None):
        links["up"] = urls.rest(collection, parent)
    return links
