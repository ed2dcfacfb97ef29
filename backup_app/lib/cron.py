"""Cron expressions of five fields, in the server's time zone."""

import datetime as dt

from cronsim import CronSim, CronSimError
from django.utils import timezone

FIELDS = 5


def next_time(expression: str, after: dt.datetime) -> dt.datetime:
    """Return the first time after ``after``; raises ValueError with a sentence.

    A time that the clock skips in spring occurs right after the gap, one that it repeats in autumn
    occurs once.
    """
    if len(expression.split()) != FIELDS:
        sentence = f"it needs {FIELDS} fields, such as 30 2 * * *."
        raise ValueError(f"'{expression}' is not a schedule: {sentence}")
    local = after.astimezone(timezone.get_default_timezone())
    try:
        # CronSim yields times of the repeated hour again, which may lie before ``after``.
        times = (time.astimezone(dt.UTC) for time in CronSim(expression, local))
        return next(time for time in times if time > after)
    except CronSimError as e:
        raise ValueError(f"'{expression}' is not a schedule: {str(e).lower()}.") from e
