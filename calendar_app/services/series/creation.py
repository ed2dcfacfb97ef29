"""Makes a series of an event."""

from typing import Any

from ...models import Event, Series, Status
from .. import events
from ..revision import writing
from . import extension
from .dates import Rule, horizon, made_at_once, new_recurrence, set_made_until
from .occurrences import add


def create(event: Event, rule: Rule, **links: Any) -> Series:
    """Store event, new or not, and an event like it for each further date of rule.

    It is the parent of the others. ``links`` are those of ``events.save``. Raises RuleError.
    """
    with writing(precise=True):
        event.derive_times()
        recurrence = new_recurrence(event, rule)
        days = made_at_once(recurrence)
        series = Series(uid=Series.new_uid(), timezone=event.timezone, all_day=event.all_day)
        series.recurrence = recurrence
        set_made_until(series, horizon(recurrence.start))
        series.save()
        event.series, event.original_start, event.parent = series, recurrence.start, None
        events.save(event, by_itself=False, **links)
        add(series, event, days[1:], event.pk)
        extension.later(series)
        publish_later(series, event)
        return series


def publish_later(series: Series, event: Event) -> None:
    """Have the others published with event, whose publication is scheduled."""
    if event.status == Status.FUTURE:
        extension.publish_when_due.using(run_after=event.date_utc).enqueue(series.pk)
