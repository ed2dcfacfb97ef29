"""Adds the events of a series that come within its horizon as time passes."""

import datetime as dt

from django.db.models import QuerySet
from django.utils import timezone

from ...conf import conf
from ...lib.tasks import task
from ...models import Event, Series, Status
from .. import posts
from ..actor import WORKER, acting
from ..revision import writing
from .dates import horizon, set_made_until
from .occurrences import add


def extend_due(now: dt.datetime | None = None) -> int:
    """Extend all series that are due; return how many events were made."""
    due = Series.objects.filter(extend_at__lte=now or timezone.now())
    return sum(extend(pk, now) for pk in due.order_by("extend_at").values_list("pk", flat=True))


def extend(pk: int, now: dt.datetime | None = None) -> int:
    """Make the events of a series up to its horizon, if it is due; return how many."""
    with writing(precise=True):
        series = Series.objects.filter(pk=pk, extend_at__lte=now or timezone.now()).first()
        if series is None:
            return 0
        template = template_of(series)
        if template is None:
            # All were deleted or put into the trash: nobody wants more of them.
            Series.objects.filter(pk=pk).update(extend_at=None)
            return 0
        until = horizon(series.start, now)
        days = missing(series, series.made_until, until)
        if len(days) == conf.SERIES_MAX_DATES:
            until = days[-1]
        add(series, template, days, parent_of(series, template))
        set_made_until(series, max(until, series.made_until), now)
        series.save()
        later(series)
        return len(days)


def missing(series: Series, after: dt.datetime, until: dt.datetime) -> list[dt.datetime]:
    """Return the dates in this span that have no event yet, as many as may be made at once."""
    made = set(series.events.values_list("original_start", flat=True))
    days = (day for day in series.recurrence.dates(until) if day > after and day not in made)
    return [day for day, _ in zip(days, range(conf.SERIES_MAX_DATES), strict=False)]


def template_of(series: Series) -> Event | None:
    """Return the last event that is as the rule says, else the last one outside the trash."""
    return in_order(series).order_by("is_override", "-original_start", "-id").first()


def parent_of(series: Series, template: Event) -> int:
    """Return the ID of the event that the others of the series are parts of."""
    ids = in_order(series).exclude(parent=None).values_list("parent_id", flat=True)
    return ids.first() or in_order(series).values_list("pk", flat=True).first() or template.pk


def in_order(series: Series) -> QuerySet[Event]:
    """Return the events of the series that are not in the trash."""
    return series.events.exclude(status=Status.TRASH).order_by("original_start", "id")


def later(series: Series) -> None:
    """Have series extended when it is due."""
    if series.extend_at:
        extend_when_due.using(run_after=series.extend_at).enqueue(
            series.pk, series.extend_at.isoformat()
        )


# Queues store the paths of tasks: if one moves, its old path must keep working.
@task()
@acting(door=WORKER)
def extend_when_due(pk: int, moment: str) -> int:
    """Extend a series, unless a change of it has put that off; a later task does it then."""
    series = Series.objects.filter(pk=pk).first()
    if series is None or series.extend_at is None or series.extend_at.isoformat() != moment:
        return 0
    return extend(pk)


@task()
@acting(door=WORKER)
def publish_when_due(pk: int) -> int:
    """Publish the scheduled events of a series whose date has come; return how many."""
    ids = list(
        Event.objects.filter(
            series=pk, status=Status.FUTURE, date_utc__lte=timezone.now()
        ).values_list("pk", flat=True)
    )
    with writing(precise=True):
        return sum(posts.publish_if_due(Event, event) for event in ids)
