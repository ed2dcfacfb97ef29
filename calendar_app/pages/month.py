"""The events of a month by day, in one query however many there are."""

import calendar
import datetime as dt
from collections import defaultdict
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Count, DateField, F, Func, Q, Value, Window
from django.db.models.functions import Cast, Greatest, Least, RowNumber
from django.utils.dates import WEEKDAYS
from django.utils.formats import get_format

SHOWN = 4  # events of a day
# Whole days of the wall times that are shown, which are not those of the site's zone.
ORDER = ["-sticky", "-all_day", "start_date", "pk"]
COLUMNS = ["title", "slug", "start_date", "all_day", "sticky", "featured", "status"]


class LastDay(Func):
    """The day of a wall time; that of an end at midnight is the day before."""

    template = "CAST(%(expressions)s - INTERVAL '1 second' AS date)"
    output_field = DateField()

    def as_sqlite(self, compiler, connection, **context):
        template = "date(%(expressions)s, '-1 second')"
        return super().as_sql(compiler, connection, template=template, **context)


class Month(NamedTuple):
    year: int
    month: int

    def __str__(self):
        return f"{self.year:04}-{self.month:02}"

    @property
    def first(self):
        return dt.date(self.year, self.month, 1)

    @property
    def last(self):
        return self.first.replace(day=calendar.monthrange(self.year, self.month)[1])

    def moved(self, months):
        """Return the month so many months later; None if it has no date."""
        year, month = divmod(self.year * 12 + self.month - 1 + months, 12)
        return Month(year, month + 1) if dt.MINYEAR <= year <= dt.MAXYEAR else None


@dataclass
class Day:
    date: dt.date
    events: list = field(default_factory=list)
    total: int = 0

    @property
    def more(self):
        return self.total - len(self.events)


def on_days(events, first, last):
    """Keep the events whose wall times have a part of these days."""
    start, end = dt.datetime.combine(first, dt.time.min), dt.datetime.combine(last, dt.time.max)
    return events.filter(
        Q(end_date__gt=start) | Q(start_date__gte=start),  # an end at midnight is the day before
        start_date__lte=end,
    )


def weeks(events, month):
    """Return the weeks of a month: lists of seven Days, None for days of other months."""
    by_day = _by_day(events, month)
    rows = calendar.Calendar(_first_weekday())
    return [
        [by_day[month.first.replace(day=number)] if number else None for number in week]
        for week in rows.monthdayscalendar(*month)
    ]


def weekdays():
    """Return the names of the weekdays in the order of a week."""
    return [str(WEEKDAYS[number]) for number in calendar.Calendar(_first_weekday()).iterweekdays()]


def _first_weekday():
    return (get_format("FIRST_DAY_OF_WEEK") - 1) % 7  # Django's weeks begin with Sunday, as 0


def _by_day(events, month):
    days = {}
    for number in range(month.last.day):
        date = month.first + dt.timedelta(days=number)
        days[date] = Day(date)
    found = defaultdict(list)
    for event in _first_of_each_span(events, month):
        found[event.first_day, event.last_day].append(event)
    for (first, last), of_span in found.items():
        for date in days:
            if first <= date <= last:
                days[date].events += of_span
                days[date].total += of_span[0].number
    for day in days.values():
        day.events = sorted(day.events, key=_rank)[:SHOWN]
    return days


def _first_of_each_span(events, month):
    """Return the first events of each pair of first and last day, and the ``number`` of all.

    A day shows the first of those whose days include it, so that no others are needed.
    """
    first, last = (Value(day, DateField()) for day in (month.first, month.last))
    start = Greatest(Cast("start_date", DateField()), first)
    span = [F("first_day"), F("last_day")]
    found = on_days(events, month.first, month.last).order_by().only(*COLUMNS)
    found = found.annotate(
        first_day=start, last_day=Greatest(start, Least(LastDay("end_date"), last))
    ).annotate(
        row=Window(RowNumber(), partition_by=span, order_by=ORDER),
        number=Window(Count("pk"), partition_by=span),
    )
    return found.filter(row__lte=SHOWN)


def _rank(event):
    return not event.sticky, not event.all_day, event.start_date, event.pk
