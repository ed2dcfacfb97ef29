"""The month, week and day view of the admin."""

from django.contrib.admin.views.main import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.http import urlencode

from ...conf import conf
from ...models import Status
from ...values import time_zones
from ..links import prefetch_visible
from ..look import TEMPLATES
from ..shared.filters import StatusFilter
from . import grid, periods
from .filters import AnyStatusFilter, DayFilter, SpanFilter
from .moving import CALENDAR

COLUMNS = [
    "id",
    "title",
    "status",
    "start_date",
    "end_date",
    "all_day",
    "author",
    "status_before_trash",
]
# What a new event on a day is offered.
USUAL_HOURS = "10:00:00", "11:00:00"


class Planning:
    """Adds the calendar of events to their admin."""

    def get_urls(self):
        view = self.admin_site.admin_view(self.calendar_view)
        return [path("calendar/", view, name=CALENDAR), *super().get_urls()]

    def get_list_filter(self, request):
        usual = super().get_list_filter(request)
        if not _is_calendar(request):
            return usual
        others = [each for each in usual if each not in (periods.PeriodFilter, StatusFilter)]
        others = [e for e in others if not isinstance(e, tuple) or e[0] != "start_utc"]
        return [SpanFilter, DayFilter, AnyStatusFilter, *others]

    def get_ordering(self, request):
        when = periods.chosen(request, self.get_queryset(request))
        return self.ordering if when in periods.LATEST_FIRST else ["start_utc", "id"]

    def get_changelist_instance(self, request):
        changelist = super().get_changelist_instance(request)
        if not _is_calendar(request):
            when = periods.chosen(request, changelist.root_queryset)
            changelist.tabs = periods.tabs(changelist, when)
            changelist.views = _views(changelist)
        return changelist

    def calendar_view(self, request):
        """Show the events of a month, a week or a day, those in the trash too."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        try:
            changelist = self.get_changelist_instance(request)
        except IncorrectLookupParameters:
            return redirect(f"admin:{CALENDAR}")
        context = {
            **self.admin_site.each_context(request),
            "title": "Calendar of events",
            "opts": self.opts,
            "changelist": changelist,
            "media": self.media,
            "kept": [(k, v) for k, v in changelist.params.items() if k != "q"],
            "legend": _legend(changelist),
            "may_add": self.has_add_permission(request),
            "usual_hours": USUAL_HOURS,
            "filters_template": f"{TEMPLATES}/planning_filters.html",
            "here": request.get_full_path(),
            **self._days(request, changelist),
        }
        return TemplateResponse(request, "calendar_app/admin/planning/calendar.html", context)

    def _days(self, request, changelist):
        """Return the days that the address asks for, with their events, and the way to others."""
        today = time_zones.to_wall(timezone.now(), conf.zone).date()
        span = grid.read(request.GET, today)
        found = list(span.found(self._shown(changelist, request.user)))
        for event in found:
            event.may_move = self.has_change_permission(request, event)
        return {
            "span": span,
            "days": span.filled(found[: grid.MOST]),
            "today": today,
            "is_cut": len(found) > grid.MOST,
            "most": grid.MOST,
            "links": _links(changelist, span, today),
        }

    def _shown(self, changelist, user):
        """Return the events of a list with no more than the calendar shows of each."""
        found = changelist.queryset.select_related(None).prefetch_related(None).only(*COLUMNS)
        return found.prefetch_related(prefetch_visible("venues", user))


def _is_calendar(request):
    return request.resolver_match.url_name == CALENDAR


def _views(changelist):
    """Return the tabs of the list and of the calendar, which keep the search and the filters."""
    query = changelist.get_query_string({periods.PeriodFilter.parameter_name: None})
    calendar, joint = reverse(f"admin:{CALENDAR}"), "&" if len(query) > 1 else ""
    return [
        {"title": "List", "link": query, "is_current": True},
        *(
            {"title": title, "link": f"{calendar}{query}{joint}span={kind}"}
            for kind, title in grid.SPANS.items()
            if kind != "day"
        ),
    ]


def _links(changelist, span, today):
    """Return the addresses of other views, which keep the search and the filters."""

    def to(**query):
        return changelist.get_query_string({"span": span.kind, **query})

    others = {k: v for k, v in changelist.params.items() if k not in ("span", "day")}
    return {
        "before": to(day=span.before.isoformat()),
        "after": to(day=span.after.isoformat()),
        "today": to(day=today.isoformat()),
        "day": to(span="day", day=""),
        "list": f"{reverse('admin:calendar_app_event_changelist')}?{urlencode(others)}",
        "spans": [
            {
                "title": title,
                "link": to(span=kind, day=span.date.isoformat()),
                "is_current": kind == span.kind,
            }
            for kind, title in grid.SPANS.items()
        ],
    }


def _legend(changelist):
    """Return the statuses with links that show the events of each alone."""
    chosen = changelist.params.get("status")
    return [
        {
            "status": value,
            "title": label,
            "link": changelist.get_query_string({"status": None if value == chosen else value}),
            "is_chosen": value == chosen,
        }
        for value, label in Status.choices
    ]
