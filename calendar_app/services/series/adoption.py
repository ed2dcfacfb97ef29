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
    found = Event.objects.filter(pk__in=days).values_list(
        "pk", "series_id", "original_start", "is_override"
    )
    # What was made a part of another series here stays so.
    rows = [row for row in found if row[1] in {None, series.pk}]
    stale = [row for row in rows if row[1:] != (series.pk, days[row[0]], row[0] in overrides)]
    same = series.pk and (series.recurrence, series.timezone) == (recurrence, zone)
    if not days or (same and not stale):
        return
    with revision.writing(precise=True):
        series.recurrence, series.timezone, series.all_day = recurrence, zone, all_day
        set_made_until(series, until)
        series.save()
        changed = Event.objects.in_bulk([row[0] for row in stale])
        for pk, event in changed.items():
            event.series, event.original_start = series, days[pk]
            event.is_override = pk in overrides
        Event.objects.bulk_update(
            changed.values(), ["series", "original_start", "is_override"], batch_size=100
        )
        extension.later(series)
