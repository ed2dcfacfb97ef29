"""How many publicly listed events each category and tag has.

A write changes the counts of the terms whose links or event it changes: counting anew would read
all events of a term, while all other writers wait. ``recount`` does that for events that were
inserted in bulk, and for the command ``recount_terms``.
"""

from collections import Counter, defaultdict
from collections.abc import Collection
from typing import Any

from django.db.models import Count, F
from django.db.models.functions import Greatest

from ..models import Category, Event, Tag
from ..models.event import LISTED
from . import tombstones
from .revision import touch, writing

TERMS = (Category, Tag)


def links(model: type[Any]) -> tuple[type[Any], str]:
    """Return the table that links events to terms of model, and its column of terms."""
    return getattr(Event, model.event_field).through, f"{model._meta.model_name}_id"


def change(model: type[Any], ids: Collection[int], by: int) -> None:
    """Add by to the counts of these terms of model (Category or Tag)."""
    if ids:
        # A count that was wrong before must not make a write fail: it may not be negative.
        model.objects.filter(pk__in=ids).update(count=Greatest(F("count") + by, 0))
        touch(model, ids)


def after_save(sender: type[Event], instance: Event, **kwargs: Any) -> None:
    """Signal receiver: count an event that is listed from now on, or no longer."""
    before, now = tombstones.listing_before(instance), tombstones.listing(instance)
    if before and before.is_counted != now.is_counted:
        change_all([instance.pk], 1 if now.is_counted else -1)


def before_delete(sender: type[Event], instance: Event, **kwargs: Any) -> None:
    """Signal receiver: no longer count an event that is being deleted."""
    if tombstones.listing(instance).is_counted:
        change_all([instance.pk], -1)


def recount() -> int:
    """Count the events of all categories and tags anew; return how many counts were wrong."""
    with writing():
        return sum(_recount(model) for model in TERMS)


def _recount(model: type[Any]) -> int:
    through, column = links(model)
    listed = {f"event__{name}": value for name, value in LISTED.items()}
    linked = through.objects.filter(**listed).order_by().values_list(column)
    right = dict(linked.annotate(number=Count("pk")))
    wrong = [term for term in model.objects.all() if term.count != right.get(term.pk, 0)]
    for term in wrong:
        term.count = right.get(term.pk, 0)
    model.objects.bulk_update(wrong, ["count"], batch_size=500)
    return len(wrong)


def change_all(ids: Collection[int], by: int) -> None:
    """Add by to the counts of the terms of the events with these IDs, once for each event."""
    for model in TERMS:
        through, column = links(model)
        terms = defaultdict(set)
        linked = through.objects.filter(event__in=ids).values_list(column, flat=True)
        for term, number in Counter(linked).items():
            terms[number].add(term)
        for number, of_many in terms.items():
            change(model, of_many, by * number)
