"""Earlier rules of a series, which its history keeps, for the form of an event to show again."""

from contextlib import suppress

from django.db.models import Max, Min

from ...api.serializers.fields import whole_number
from ...exceptions import RecordNotFound
from ...models import Change, Series
from ..history import versions

EARLIER = "rule"  # the parameter of the form's address that names a version


def rule_at(event, text):
    """Return the series of event, unsaved, as at the version of an address.

    Raises RecordNotFound.
    """
    version = whole_number(text)
    series = Series.objects.filter(pk=event.series_id).first()
    if series is None or version is None:
        raise RecordNotFound("version", text)
    for name, value in versions.state_at(series, version).items():
        setattr(series, name, Series._meta.get_field(name).to_python(value))
    return series


def times_at(event, earlier):
    """Return what the form of event shows so that its series begins as the earlier one did."""
    series = event.series
    distance = earlier.start - series.start
    if earlier.all_day != series.all_day:  # the end of a whole day is no time of the clock
        days = earlier.start.date() - series.start.date()
    else:
        days = distance
    found = {
        name: getattr(earlier, name)
        for name in ("timezone", "all_day")
        if getattr(event, name) == getattr(series, name)
    }
    with suppress(OverflowError):
        found |= {"start_date": event.start_date + distance, "end_date": event.end_date + days}
    return found


def offered(event, changes):
    """Return the earlier rules that changes of the series of event tell of: {change: versions}.

    What was before all that are kept is version 0, and is told by the oldest.
    """
    if not changes:
        return {}
    kept = Change.objects.filter(kind="series", record_id=event.series_id)
    ends = kept.aggregate(oldest=Min("pk"), newest=Max("pk"))
    return {
        change: [
            *([change.pk] if change.pk != ends["newest"] else []),
            *([0] if change.pk == ends["oldest"] and change.verb != Change.Verb.CREATED else []),
        ]
        for change in changes
    }
