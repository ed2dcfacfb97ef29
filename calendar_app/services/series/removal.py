"""Cancels dates of a series, and takes them back."""

from collections.abc import Sequence

from django.db.models import F

from ...models import Event, Series, Status
from ...models.post import changed
from ...permissions import User
from .. import history, posts
from ..revision import writing
from .extension import in_order
from .occurrences import relisting
from .scope import Scope, date_of, end_before, others_in, series_of


def cancel(event: Event) -> None:
    """Exclude the date of event from its series, and move event to the trash."""
    with writing(precise=True):
        series = series_of(event)
        series.exdates = sorted({*series.exdates, _named(event)})
        series.save()
        posts.trash(event)
        _give_parent(series)


def restore(event: Event, user: User) -> None:
    """Take back the cancellation of event's date."""
    with writing(precise=True):
        series = series_of(event)
        series.exdates = [day for day in series.exdates if day != _named(event)]
        series.save()
        posts.restore(event, user)


def trash(event: Event, scope: Scope) -> int:
    """Move event, or it and the following ones, or all of its series, to the trash.

    Return how many were moved; a series that has lost all further events has no further dates.
    Raises RuleError if they are too many at once.
    """
    with writing(precise=True):
        if scope == Scope.ONE:
            cancel(event)
            return 1
        series = series_of(event)
        doomed = [each for each in [event, *others_in(event, scope)] if not each.is_trashed]
        with history.comparing([each.pk for each in doomed]):
            if scope == Scope.FOLLOWING:
                drop(doomed)
            else:
                _trash(doomed)
        end_before(series, date_of(event) if scope == Scope.FOLLOWING else series.start)
        _give_parent(series)
        return len(doomed)


def drop(events: Sequence[Event]) -> None:
    """Move events to the trash that are no part of their series any more."""
    _trash(events)
    Event.objects.filter(pk__in=[event.pk for event in events]).update(
        series=None, original_start=None, is_override=False, parent=None
    )


def _trash(events: Sequence[Event]) -> None:
    with relisting(events):
        Event.objects.filter(pk__in=[event.pk for event in events]).update(
            status_before_trash=F("status"), status=Status.TRASH, **changed()
        )


def _named(event: Event) -> str:
    return date_of(event).isoformat(" ")


def _give_parent(series: Series) -> None:
    """Make the first event of series the parent of those whose parent is in the trash."""
    orphans = list(in_order(series).filter(parent__status=Status.TRASH))
    if orphans:
        first, *others = orphans
        Event.objects.filter(pk=first.pk).update(parent=None)
        Event.objects.filter(pk__in=[event.pk for event in others]).update(parent=first)
