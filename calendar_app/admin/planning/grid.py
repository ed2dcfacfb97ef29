"""The days that a view of the calendar shows, and the events of each."""

import calendar
import datetime as dt
from dataclasses import dataclass, field

from dateutil.relativedelta import relativedelta

from ...models import Event

SPANS = {"month": "Month", "week": "Week", "day": "Day"}
STEPS = {
    "month": relativedelta(months=1),
    "week": relativedelta(weeks=1),
    "day": relativedelta(days=1),
}
SHOWN = {"month": 6, "week": 40, "day": 5000}  # events of a day; the others are counted
MOST = 5000  # events of a view
# Local dates differ from those in UTC by at most a day.
MARGIN = dt.timedelta(days=1)
# A view never leaves the years that Python's dates have.
EARLIEST, LATEST = dt.date(2, 1, 1), dt.date(9998, 12, 31)


@dataclass
class Day:
    date: dt.date
    is_beside: bool  # of the month before or after
    events: list[Event] = field(default_factory=list)
    more: int = 0


@dataclass
class Span:
    """A month, a week or a day, around a date."""

    kind: str
    date: dt.date

    @property
    def days(self):
        """The days to show, from the first: those of a month fill whole weeks."""
        match self.kind:
            case "day":
                first, count = self.date, 1
            case "week":
                first, count = self._monday(self.date), 7
            case _:
                last = self.date.replace(
                    day=calendar.monthrange(self.date.year, self.date.month)[1]
                )
                first = self._monday(self.date.replace(day=1))
                count = (self._monday(last) - first).days + 7
        return [first + dt.timedelta(days=number) for number in range(count)]

    @property
    def before(self):
        return max(EARLIEST, self.date - STEPS[self.kind])

    @property
    def after(self):
        return min(LATEST, self.date + STEPS[self.kind])

    def filled(self, events):
        """Return the days with the events that take place on each, as local times say."""
        days = [
            Day(date, self.kind == "month" and date.month != self.date.month) for date in self.days
        ]
        first, last = days[0].date, days[-1].date
        for event in events:
            start = max((event.start_date.date() - first).days, 0)
            end = min((event.end_date.date() - first).days, (last - first).days)
            for number in range(start, end + 1):
                days[number].events.append(event)
        for day in days:
            day.more = max(0, len(day.events) - SHOWN[self.kind])
            day.events = day.events[: SHOWN[self.kind]]
        return days

    def found(self, queryset):
        """Keep the events that may take place on one of the days, in the order of their starts."""
        days = self.days
        start = dt.datetime.combine(days[0], dt.time.min, dt.UTC) - MARGIN
        end = dt.datetime.combine(days[-1], dt.time.max, dt.UTC) + MARGIN
        found = queryset.filter(start_utc__lte=end, end_utc__gte=start)
        return found.order_by("start_utc", "id")[: MOST + 1]

    @staticmethod
    def _monday(date):
        return date - dt.timedelta(days=date.weekday())


def read(query, today):
    """Return the span that a query asks for: a month around today unless it says otherwise."""
    kind = query.get("span")
    try:
        date = dt.date.fromisoformat(query.get("day") or "")
    except ValueError:
        date = today
    return Span(kind if kind in SPANS else "month", min(max(date, EARLIEST), LATEST))
