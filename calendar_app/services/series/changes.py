"""Changes an event of a series, it and the following ones, or all of them."""

from typing import Any

from ...models import Event, Status
from .. import events, history, posts
from ..revision import writing
from . import extension, timing
from .creation import publish_later
from .dates import Rule, set_made_until
from .likeness import Likeness
from .occurrences import add
from .removal import drop
from .scope import Scope, others_in, series_of, split, tail
from .timing import Timing


def save(event: Event, scope: Scope, *, rule: Rule | None = None, **links: Any) -> None:
    """Store event, and do the same to the others of its series that scope names.

    Those that were changed by themselves keep what they have for themselves. A new ``rule`` keeps
    the events on its dates and those that move by less than a week, adds the missing ones, and
    moves the rest to the trash. ``links`` are those of ``events.save``. Raises RuleError.
    """
    with writing(precise=True):
        if scope == Scope.ONE:
            events.save(event, **links)
            return
        event.derive_times()
        stored = Event.objects.get(pk=event.pk)
        others = others_in(stored, scope)
        with history.comparing([each.pk for each in others]):
            found = _save_all(event, stored, others, scope, rule, **links)
        for each in found.restored if found else ():
            _take_back(each, event)


def _save_all(
    event: Event,
    stored: Event,
    others: list[Event],
    scope: Scope,
    rule: Rule | None,
    **links: Any,
) -> Timing | None:
    series = split(stored) if scope == Scope.FOLLOWING else series_of(stored)
    event.parent_id = None if scope == Scope.FOLLOWING else stored.parent_id
    event.original_start = stored.original_start
    for each in (event, *others):
        each.series = series
    likeness = Likeness(stored, others)
    found = timing.new_timing(series, stored, event, rule, others, scope)
    if found:
        timing.apply(found, series, stored, event)
    events.save(event, by_itself=False, **links)
    likeness.spread(event)
    if found:
        set_made_until(series, found.until)
        series.save()
        template = extension.template_of(series) or event
        add(series, template, found.missing, extension.parent_of(series, event))
        drop(found.dropped)
        extension.later(series)
    publish_later(series, event)
    return found


def _take_back(cancelled: Event, event: Event) -> None:
    """Let a cancelled date take place again, with the status of event, as new dates have it."""
    posts.reload(cancelled)
    cancelled.status, cancelled.status_before_trash = event.status, ""
    if event.status == Status.FUTURE:
        cancelled.date, cancelled.date_utc = event.date, event.date_utc
    posts.save(cancelled)


def planned(event: Event, scope: Scope, rule: Rule | None) -> Timing | None:
    """Return what ``save`` would do to the dates; None if nothing. Raises RuleError."""
    event.derive_times()
    stored = Event.objects.get(pk=event.pk)
    series = tail(stored) if scope == Scope.FOLLOWING else series_of(stored)
    return timing.new_timing(series, stored, event, rule, others_in(stored, scope), scope)
