"""For mirrors: records changed since an instant, and those that have left the list."""

from django.db import connections
from django.db.models import Exists, OuterRef

from ...models import Event
from ...services import tombstones
from .window import DateParameter


class ModifiedParameter(DateParameter):
    def __init__(self, noun):
        super().__init__(
            "modified_utc",
            "gt",
            help_text=f"{noun} changed after this instant, preceded by a tombstone, "
            '`{id, global_id, status: "trash", modified_utc}`, for each record that has left the '
            "caller's list since: trashed, unpublished, hidden or deleted. Other filters do not "
            "apply to tombstones.",
        )

    def bounded(self, qs, value):
        if connections[qs.db].vendor != "sqlite":
            return super().bounded(qs, value)
        # A subquery, since SQLite cannot tell that few were changed, and would read the whole list.
        changed = super().bounded(qs.model.objects.order_by(), value)
        return qs.filter(pk__in=changed.values("pk"))


def lost(filterset):
    """Return the tombstones for the parameter modified_after; None without it."""
    chosen = filterset.form.cleaned_data
    if "modified_after" not in filterset.filters or chosen.get("hide_from_listings"):
        return None
    model, status = filterset.queryset.model, filterset.filters["status"]
    statuses = status.statuses(chosen["status"])
    still = model.objects.filter(status.readable(model, statuses), pk=OuterRef("record_id"))
    if model is Event:
        still = still.filter(hide_from_listings=False)
    found = tombstones.lost_by(filterset.request.user, model, statuses)
    if ids := chosen.get("include"):
        found = found.filter(record_id__in=ids)
    # No other filters: they would reveal the present state of a withdrawn record.
    return found.filter(~Exists(still.order_by()), modified_utc__gt=chosen["modified_after"])
