"""Cron expressions of five fields, in the server's time zone."""

import datetime as dt

from cron_descriptor import FormatException, MissingFieldException, Options, WrongArgumentException
from cron_descriptor import get_description as description
from cronsim import CronSim, CronSimError
from django.utils import timezone

FIELDS = 5
WORDS = Options(locale_code="en_US", verbose=True, use_24hour_time_format=True)
# What only the library that reads the times understands.
WORDLESS = FormatException, MissingFieldException, WrongArgumentException, ValueError, IndexError


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


def next_times(expression: str, after: dt.datetime, number: int) -> list[dt.datetime]:
    """Return the first times after ``after``; raises ValueError with a sentence."""
    times = [next_time(expression, after)]
    while len(times) < number:
        times.append(next_time(expression, times[-1]))
    return times


def in_words(expression: str) -> str:
    """Return a valid expression in words, as ``at 02:30, every day``."""
    try:
        words: str = description(expression, WORDS)
    except WORDLESS:
        return expression
    return words[:1].lower() + words[1:]
