"""Keeps the rule of events that were imported, whose source has made them."""

import datetime as dt
from collections.abc import Mapping

from ...models import Event, Series
from ...values.recurrence import Recurrence
from .. import revision
from . import extension
from .dates import set_made_until


def adopt(
    uid: str,
    recurrence: Recurrence,
    zone: str,
    *,
    all_day: bool,
    until: dt.datetime,
    days: Mapping[int, dt.datetime],
    overrides: set[int],
) -> None:
    """Make a series of the imported events with these IDs and dates, or keep the one they have."""
    series = Series.objects.filter(uid=uid).first() or Series(uid=uid)
    if series.pk and series.events.filter(source_id=None).exists():
        return  # it was made here: whoever knows its UID does not change its rule
    stale = _stale(series, days, overrides)
    same = series.pk and (series.recurrence, series.timezone) == (recurrence, zone)
    if not days or (same and not stale):
        return
    with revision.writing(precise=True):
        series.recurrence, series.timezone, series.all_day = recurrence, zone, all_day
        set_made_until(series, until)
        series.save()
        changed = Event.objects.in_bulk(stale)
        for pk, event in changed.items():
            event.series, event.original_start = series, days[pk]
            event.is_override = pk in overrides
        fields = ["series", "original_start", "is_override"]
        Event.objects.bulk_update(changed.values(), fields, batch_size=100)
        extension.later(series)


def _stale(series: Series, days: Mapping[int, dt.datetime], overrides: set[int]) -> list[int]:
    """Return the IDs of the events that are not stored yet as parts of series on these dates."""
    found = Event.objects.filter(pk__in=days).values_list(
        "pk", "series_id", "original_start", "is_override"
    )
    return [
        pk
        for pk, series_id, day, is_override in found
        # What was made a part of another series here stays so.
        if series_id in {None, series.pk}
        and (series_id, day, is_override) != (series.pk, days[pk], pk in overrides)
    ]
