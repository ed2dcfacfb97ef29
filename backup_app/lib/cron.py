"""Cron expressions of five fields, in the server's zone."""

import datetime as dt

from cronsim import CronSim, CronSimError
from django.utils import timezone

FIELDS = 5


def next_time(expression: str, after: dt.datetime) -> dt.datetime:
    """Return when an expression comes next after a time; raises ValueError with a sentence.

    A time that the clock skips in spring comes right after, one that it shows twice in autumn
    comes once.
    """
    if len(expression.split()) != FIELDS:
        raise ValueError(f"'{expression}' is no schedule: it needs {FIELDS} fields, as 30 2 * * *.")
    local = after.astimezone(timezone.get_default_timezone())
    try:
        # In the hour that the clock shows twice, what came the first time is offered again.
        times = (time.astimezone(dt.UTC) for time in CronSim(expression, local))
        return next(time for time in times if time > after)
    except CronSimError as e:
        raise ValueError(f"'{expression}' is no schedule: {str(e).lower()}.") from e
    except StopIteration as e:
        raise ValueError(f"The schedule '{expression}' never comes.") from e
