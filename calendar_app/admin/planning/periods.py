"""The tabs of the event list: which events it shows, by time and by status."""

import datetime as dt

from django.contrib import admin
from django.contrib.admin.views.main import ALL_VAR, ERROR_FLAG, ORDER_VAR, PAGE_VAR
from django.utils import timezone

from ...conf import conf
from ...models import Status
from ...values import time_zones

TABS = {
    "upcoming": "Upcoming",
    "today": "Today",
    "week": "This week",
    "past": "Past",
    "all": "All",
}
STATUS_TABS = {Status.DRAFT: "Drafts", Status.PENDING: "Pending review"}
LATEST_FIRST = {"past", "all"}
# Parameters that say how a list is shown, not what it holds.
PRESENTATION = {ALL_VAR, ERROR_FLAG, ORDER_VAR, PAGE_VAR}


class PeriodFilter(admin.SimpleListFilter):
    """Events of the period that a tab has chosen; the form of the other filters keeps it."""

    title, parameter_name = "period", "when"
    template = "calendar_app/admin/kept_filter.html"

    def lookups(self, request, model_admin):
        return TABS.items()

    def queryset(self, request, queryset):
        return within(queryset, chosen(request, queryset))

    def choices(self, changelist):
        return [{"name": self.parameter_name, "value": self.value() or ""}]


def chosen(request, queryset):
    """Return the period that a list shows.

    It opens at what is upcoming, unless nothing is; a search or a filter looks through all times
    until a tab is chosen.
    """
    when = request.GET.get(PeriodFilter.parameter_name)
    if when in TABS:
        return when
    if any(value for name, value in request.GET.items() if name not in PRESENTATION):
        return "all"
    if not hasattr(request, "opens_at"):
        found = within(queryset.untrashed(), "upcoming")
        request.opens_at = "upcoming" if found.order_by().exists() else "all"
    return request.opens_at


def within(queryset, when):
    """Keep the events of a period, in the site's time zone; a week begins on Monday."""
    today = time_zones.to_wall(timezone.now(), conf.zone).date()
    monday = today - dt.timedelta(days=today.weekday())
    match when:
        case "upcoming":
            return queryset.filter(end_utc__gte=_start(today))
        case "past":
            return queryset.filter(end_utc__lt=_start(today))
        case "today":
            return overlapping(queryset, today, 1)
        case "week":
            return overlapping(queryset, monday, 7)
    return queryset


def overlapping(queryset, first, days):
    """Keep the events that take place on any of these days, in the site's time zone."""
    end = _start(first + dt.timedelta(days=days))
    return queryset.filter(start_utc__lt=end, end_utc__gte=_start(first))


def tabs(changelist, when):
    """Return the tabs above a list as dictionaries; each keeps the search and the other filters."""
    status = changelist.params.get("status")
    found = [
        (title, {"when": name, "status": None}, when == name and status not in STATUS_TABS)
        for name, title in TABS.items()
    ] + [
        (title, {"when": None, "status": name}, status == name)
        for name, title in STATUS_TABS.items()
    ]
    return [
        {
            "title": title,
            "link": changelist.get_query_string(query),
            "is_current": is_current,
        }
        for title, query, is_current in found
    ]


def _start(day):
    return time_zones.to_utc(dt.datetime.combine(day, dt.time.min), conf.zone)
