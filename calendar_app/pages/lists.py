"""Lists of events: upcoming, past, of a day, and as the grid of a month."""

import datetime as dt
import re
from types import SimpleNamespace

from django.utils import timezone
from rest_framework.exceptions import ValidationError

from ..api.errors import shown
from ..api.filters import search
from ..api.filters.event import EventFilterSet
from ..api.pagination import ArchivePagination
from ..conf import conf
from ..exceptions import InvalidParams, NotFound
from ..models import Category, Event
from .address import DATES, Address
from .base import PageView
from .cards import cards
from .month import Month, on_days, weekdays, weeks

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)
MONTH = re.compile(r"([0-9]{4})-([0-9]{2})", re.ASCII)
CHOICES = 60  # categories in the form, at most
EXACT = {"strict_dates": "true"}
UPCOMING = {"ends_after": "now", **EXACT}
A_DAY = dt.timedelta(days=1)


class ListView(PageView):
    """Pages of the events that the API's filters in the address keep."""

    kind = "event"
    archive = None

    def setup(self, request, *args, **kwargs):
        super().setup(request, *args, **kwargs)
        self.address = Address(self.query, self.urls)

    def filtered(self, **dates):
        """Return the events by the filters of the address; ``dates`` replace its own, if any."""
        query = self.query.copy()
        for name in DATES.intersection(query) if dates else ():
            del query[name]
        for name, value in {**(self.archive or {}), **dates}.items():
            query[name] = value
        self.filters = EventFilterSet(query, Event.objects.all(), request=self.request)
        self.pages = ArchivePagination()
        asked = SimpleNamespace(query_params=query)
        errors = {**self.pages.read(asked, self), **self.filters.errors}
        if errors:
            raise ValidationError(errors)
        return self.filters.qs

    def listed(self, events):
        """Return what a template shows of a page of events."""
        ids = self.pages.paginate_queryset(events, self.request, self)
        return {"events": cards(ids, self.urls, self.request.user), "pages": self._numbers()}

    def around(self, **context):
        """Return what templates of all lists show around the events."""
        return {"address": self.address, "form": self._form(), **context}

    def page_sizes(self):
        return conf.PER_PAGE, conf.MAX_PER_PAGE

    def lost(self):
        """Return None: pages have no tombstones."""

    def _numbers(self):
        number, last = self.pages.page, self.pages.total_pages
        return {
            "number": number,
            "last": max(last, 1),
            "previous": self.address.at_page(number - 1) if number > 1 else None,
            "next": self.address.at_page(number + 1) if number < last else None,
            "total": self.pages.total,
        }

    def _form(self):
        chosen = ",".join(self.query.getlist("categories"))
        used = Category.objects.filter(count__gt=0).order_by("-count", "pk")[:CHOICES]
        options = sorted(used.values_list("name", "slug"))
        known = {slug for _, slug in options}
        if chosen and chosen not in known:
            options.append((chosen, chosen))
        return {"search": self.query.get("search", ""), "category": chosen, "options": options}


class UpcomingView(ListView):
    """Events that have not ended or, with dates in the address, those between them."""

    def depends_on_now(self, query):
        return True

    def get(self, request):
        is_open = self.address.has_dates or "include" in self.query
        events = self.filtered(**({} if is_open else UPCOMING))
        title = "Events" if is_open else "Upcoming events"
        return self.render("list", **self.around(title=title, **self.listed(events)))


class PastView(ListView):
    """Events that have ended, the latest first."""

    def depends_on_now(self, query):
        return True

    def get(self, request):
        events = self.filtered(ends_before="now", **EXACT).reverse()
        return self.render(
            "list", **self.around(title="Past events", is_past=True, **self.listed(events))
        )


class DayView(ListView):
    def get(self, request, day):
        date = _read(_day, day, "day")
        events = on_days(self.filtered(**_span(date, date)), date, date)
        return self.render(
            "day",
            **self.around(
                day=date,
                month=Month(date.year, date.month),
                previous=_moved(date, -A_DAY),
                next=_moved(date, A_DAY),
                **self.listed(events),
            ),
        )


class MonthView(ListView):
    """The grid of a month: the one of the path, of ``month``, or the current one."""

    def get(self, request, month=None):
        today = timezone.now().astimezone(conf.zone).date()
        text = month or self.query.get("month") or str(Month(today.year, today.month))
        month = _read(_month, text, "month")
        events = self.filtered(**_span(month.first, month.last))
        with search.limited(self.filters):
            grid = weeks(events, month)
        days = [day for week in grid for day in week if day]
        return self.render(
            "month",
            **self.around(
                month=month,
                weeks=grid,
                weekdays=weekdays(),
                today=today,
                previous=month.moved(-1),
                next=month.moved(1),
                is_empty=not any(day.total for day in days),
                calendar=self.address.calendar(start_date=month.first, end_date=month.last),
            ),
        )


def _read(parse, text, noun):
    """Return what parse makes of text. Raises NotFound if there is no such day or month."""
    try:
        return parse(text)
    except ValueError as e:
        raise NotFound(f"There is no {noun} {shown(text)}.") from e


def _day(text):
    if not DAY.fullmatch(text):
        raise ValueError(text)
    return dt.date.fromisoformat(text)


def _month(text):
    found = MONTH.fullmatch(text)
    if not found:
        raise InvalidParams({"month": f"month must be a month such as 2027-03, not {shown(text)}."})
    month = Month(*map(int, found.groups()))
    month.last  # noqa: B018 - raises ValueError if there is none
    return month


def _moved(date, distance):
    try:
        return date + distance
    except OverflowError:
        return None


def _span(first, last):
    """Return the dates of a list that has all events of these days, in whatever zone they are."""
    before, after = _moved(first, -2 * A_DAY) or dt.date.min, _moved(last, 2 * A_DAY) or dt.date.max
    end = dt.time(23, 59, 59)
    return {"ends_after": f"{before} 00:00:00", "starts_before": f"{after} {end}", **EXACT}
