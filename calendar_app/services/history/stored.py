"""What is stored of a record before a save, read once for all that compare it with what is new."""

from collections.abc import Collection
from operator import attrgetter
from typing import Any

from django.db.models import Model

from ...models import Category, Event, Organizer, Series, Tag, Venue

POST = ("status", "author_id", "slug", "description", "excerpt", "date_utc", "image_id")
TERM = ("name", "slug", "description")
# The fields that the history keeps. Others are derived from them, or tell of imports and series.
FIELDS: dict[type[Model], tuple[str, ...]] = {
    Event: (
        *("title", *POST, "start_date", "end_date", "start_utc", "end_utc", "all_day", "timezone"),
        *("cost", "website", "show_map", "show_map_link", "hide_from_listings", "sticky"),
        *("featured", "ticketed", "password", "parent_id", "custom_fields"),
    ),
    Venue: (
        *("name", *POST, "address", "city", "country", "province", "state", "stateprovince", "zip"),
        *("phone", "website", "geo_lat", "geo_lng", "show_map", "show_map_link"),
    ),
    Organizer: ("name", *POST, "phone", "website", "email"),
    Category: (*TERM, "parent_id"),
    Tag: TERM,
    Series: ("start", "timezone", "all_day", "rrule", "rdates", "exdates"),
}
_GETTERS = {model: attrgetter(*names) for model, names in FIELDS.items()}


def values(record: Model) -> dict[str, Any]:
    """Return the values of the fields of a record."""
    model = type(record)
    return dict(zip(FIELDS[model], _GETTERS[model](record), strict=True))


def note_stored(record: Model) -> None:
    """Note that record was just read inside ``writing``: saving it there need not read it again."""
    record.__dict__["_stored"] = values(record)


def note_origin(record: Model, origin: Model) -> None:
    """Note that record, which is new, goes on with what origin was: only the rest is a change."""
    record.__dict__["_stored"] = values(origin)


def noted(record: Model, name: str) -> Any:
    """Return the stored value of a field of record; None if it was not noted."""
    return record.__dict__.get("_stored", {}).get(name)


def before_save(
    sender: type[Model],
    instance: Any,
    update_fields: Collection[str] | None = None,
    **kwargs: Any,
) -> None:
    """Signal receiver: remember what is stored of the record."""
    instance._before = instance.__dict__.pop("_stored", None)
    if instance._before is None and instance.pk and saved(sender, update_fields):
        rows = sender._base_manager.filter(pk=instance.pk)
        instance._before = rows.values(*FIELDS[sender]).first()


def saved(model: type[Model], update_fields: Collection[str] | None) -> list[str]:
    """Return the fields that a save writes which names these."""
    names = FIELDS[model]
    if update_fields is None:
        return [*names]
    return [name for name in names if {name, name.removesuffix("_id")} & {*update_fields}]


def before(record: Model) -> dict[str, Any] | None:
    """Return what was stored of record before the save that is going on; None if it is new."""
    found: dict[str, Any] | None = record.__dict__.get("_before")
    return found
