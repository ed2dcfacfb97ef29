"""Cron expressions as lines of Bacula's schedules."""

from datetime import UTC, datetime

from cronsim import CronSim, CronSimError
from django.utils import timezone

from ....models import Client
from ..names import Bacula

MAX_LINES = 100  # lines of one schedule
MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
WEEKDAYS = "sun mon tue wed thu fri sat".split()
DAYS = range(1, 32)


def lines_of(engine: Bacula, client: Client) -> list[str]:
    """Return the lines by which a Director follows a client's schedule.

    None where this service starts the backups: without the option schedules, if the Director's
    clock is in another zone, and for what Bacula cannot express.
    """
    is_wanted = engine.schedules and str(engine.zone) == str(timezone.get_default_timezone())
    is_there = client.deleted is None and client.zone.engine == engine.alias
    return run_lines(client.effective_schedule) if is_wanted and is_there else []


def run_lines(expression: str) -> list[str]:
    """Return the lines of a schedule that starts incremental backups as a cron expression says.

    None if Bacula cannot express it: days of the month or of the week, the last day of a month, or
    more than MAX_LINES times a day. A time that the clock skips in spring Bacula skips as well.
    """
    try:
        cron = CronSim(expression, datetime.now(UTC))
    except CronSimError:
        return []
    is_odd = any(day not in DAYS for day in cron.days) or any(
        isinstance(day, tuple) for day in cron.weekdays
    )
    if is_odd or not cron.day_and or len(cron.hours) * len(cron.minutes) > MAX_LINES:
        return []
    weekdays = {day % 7 for day in cron.weekdays if isinstance(day, int)}
    months = ",".join(MONTHS[month - 1] for month in sorted(cron.months))
    days = ",".join(str(day) for day in sorted(cron.days))
    names = ",".join(WEEKDAYS[day] for day in sorted(weekdays))
    return [
        f"Run = Level=Incremental {months} on {days} {names} at {hour:02}:{minute:02}"
        for hour in sorted(cron.hours)
        for minute in sorted(cron.minutes)
    ]
