"""Which events of a series a change concerns, and the split of a series in two."""

import datetime as dt

from django.db import models

from ...conf import conf
from ...models import Event, Series
from ...values.recurrence import RuleError
from ..history.stored import note_origin
from .dates import set_made_until


class Scope(models.TextChoices):
    ONE = "one", "This event only"
    FOLLOWING = "following", "This event and the following ones"
    ALL = "all", "All events of the series"


def others_in(event: Event, scope: Scope) -> list[Event]:
    """Return the other events that scope names beside event, also those in the trash.

    Raises RuleError if they are too many for one write.
    """
    if scope == Scope.ONE or event.series_id is None:
        return []
    found = Event.objects.filter(series=event.series_id).exclude(pk=event.pk)
    if scope == Scope.FOLLOWING:
        found = found.filter(original_start__gte=date_of(event))
    most = conf.SERIES_MAX_DATES
    in_order = found.select_related("series").order_by("original_start", "id")
    events = list(in_order[: most + 1])
    if len(events) > most:
        raise RuleError(
            f"The series has more than {most} such events, and {most} can be changed at once: "
            "change this and the following ones, from a later one on."
        )
    return events


def series_of(event: Event) -> Series:
    return Series.objects.get(events=event.pk)


def date_of(event: Event) -> dt.datetime:
    """Return the date that its series gives event."""
    day: dt.datetime = event.original_start or event.start_date
    return day


def tail(event: Event) -> Series:
    """Return the series of event, or an unsaved one from event on if others come before it."""
    series, day = series_of(event), date_of(event)
    if not series.events.filter(original_start__lt=day).exists():
        return series
    following = Series(uid=Series.new_uid(), timezone=series.timezone, all_day=series.all_day)
    following.recurrence = series.recurrence.since(day)
    following.made_until, following.extend_at = series.made_until, series.extend_at
    return following


def split(event: Event) -> Series:
    """Give event and the following ones a series of their own, unless event is the first."""
    following = tail(event)
    if following.pk:
        return following
    day = date_of(event)
    series = series_of(event)
    note_origin(following, series)
    end_before(series, day)
    following.save()
    moved = Event.objects.filter(series=event.series_id, original_start__gte=day)
    moved.exclude(pk=event.pk).update(series=following, parent=event.pk)
    moved.filter(pk=event.pk).update(series=following, parent=None)
    return following


def end_before(series: Series, day: dt.datetime) -> None:
    """Let series end before day, which is one of its dates."""
    days = series.events.filter(original_start__lt=day).order_by("-original_start")
    if last := days.values_list("original_start", flat=True).first():
        series.recurrence = series.recurrence.until(last)
        set_made_until(series, last)
    series.extend_at = None
    series.save()
