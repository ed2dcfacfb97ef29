"""The month and week view of the admin, and the page that moves an event."""

from django.contrib import admin, messages
from django.contrib.admin.views.main import IncorrectLookupParameters
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse
from django.utils import timezone
from django.utils.http import urlencode

from ...conf import conf
from ...exceptions import CalendarError
from ...models import Status
from ...services import events
from ...values import time_zones
from ..links import prefetch_visible
from ..look import TEMPLATES, page_action
from ..shared.filters import StatusFilter
from . import grid, periods
from .moving import MoveForm

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
CALENDAR = "calendar_app_event_calendar"
# What a new event on a day is offered.
USUAL_HOURS = "10:00:00", "11:00:00"


class KeptFilter(admin.SimpleListFilter):
    """A parameter of the calendar's address, which its filters keep."""

    template = "calendar_app/admin/kept_filter.html"

    def lookups(self, request, model_admin):
        return [("kept", "kept")]

    def queryset(self, request, queryset):
        return queryset

    def choices(self, changelist):
        return [{"name": self.parameter_name, "value": self.value() or ""}]


class SpanFilter(KeptFilter):
    title = parameter_name = "span"


class DayFilter(KeptFilter):
    title = parameter_name = "day"


class AnyStatusFilter(StatusFilter):
    """Events of one status; all when none is chosen, with those in the trash."""

    all_option = ["", "All"]

    def queryset(self, request, queryset):
        return queryset.filter(status=self.value()) if self.value() else queryset


class Planning:
    """Adds the calendar of events to their admin."""

    def get_urls(self):
        view = self.admin_site.admin_view
        return [
            path("calendar/", view(self.calendar_view), name=CALENDAR),
            path("<int:pk>/move/", view(self.move_view), name="calendar_app_event_move"),
            *super().get_urls(),
        ]

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
        today = time_zones.to_wall(timezone.now(), conf.zone).date()
        span = grid.read(request.GET, today)
        found = list(span.found(self._shown(changelist, request.user)))
        for event in found:
            event.may_move = self.has_change_permission(request, event)
        context = {
            **self.admin_site.each_context(request),
            "title": "Calendar of events",
            "opts": self.opts,
            "changelist": changelist,
            "media": self.media,
            "span": span,
            "days": span.filled(found[: grid.MOST]),
            "today": today,
            "is_cut": len(found) > grid.MOST,
            "most": grid.MOST,
            "links": _links(changelist, span, today),
            "kept": [(k, v) for k, v in changelist.params.items() if k != "q"],
            "legend": _legend(changelist),
            "may_add": self.has_add_permission(request),
            "usual_hours": USUAL_HOURS,
            "filters_template": f"{TEMPLATES}/planning_filters.html",
            "here": request.get_full_path(),
        }
        return TemplateResponse(request, "calendar_app/admin/planning/calendar.html", context)

    def _shown(self, changelist, user):
        """Return the events of a list with no more than the calendar shows of each."""
        found = changelist.queryset.select_related(None).prefetch_related(None).only(*COLUMNS)
        return found.prefetch_related(prefetch_visible("venues", user))

    def move_view(self, request, pk):
        """Ask where to move an event, and move it; of a published one, ask whether to."""
        event = self.get_queryset(request).filter(pk=pk).first()
        if event is None:
            raise Http404(f"There is no event {pk}.")
        if not self.has_change_permission(request, event):
            raise PermissionDenied
        form = (
            MoveForm(event, request.POST)
            if request.method == "POST"
            else self._blank(event, request)
        )
        if form.is_valid() and (event.status != Status.PUBLISH or request.POST.get("confirmed")):
            return self._move(request, event, form.cleaned_data)
        start = form.is_valid() and form.cleaned_data["start"]
        end = start and start + (event.end_date - event.start_date)
        return self._asking(request, event, form, verb="Move", start=start, end=end)

    @page_action(description="Duplicate", url_path="duplicate", icon="content_copy")
    def duplicate(self, request, object_id):
        """Ask when a copy of an event is to start, make it as a draft, and open its form."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        event = self.kept(request, object_id)
        form = MoveForm(event, request.POST or None, initial={"seen": event.start_date.isoformat()})
        if form.is_valid():
            try:
                copy = events.duplicate(event, form.cleaned_data["start"], request.user)
            except CalendarError as e:
                form.add_error("start", e.message)
            else:
                self.log_addition(request, copy, f"Copied from event {event.pk}.")
                self.message_user(request, f"“{copy}” was copied as a draft.", messages.SUCCESS)
                return redirect("admin:calendar_app_event_change", copy.pk)
        form.initial["start"] = f"{event.start_date:%Y-%m-%d %H:%M}"
        return self._asking(request, event, form, verb="Copy")

    def kept(self, request, object_id):
        """Return an event that the user may read and that is not in the trash, or raise Http404."""
        event = self.get_object(request, object_id)
        if event is None or event.is_trashed:
            raise Http404(f"There is no event {object_id}.")
        return event

    def _asking(self, request, event, form, **context):
        context = {
            **self.admin_site.each_context(request),
            "title": f"{context['verb']} “{event}”",
            "opts": self.opts,
            "media": self.media,
            "event": event,
            "form": form,
            "back": _back(form.data.get("back") or request.GET.get("back")),
            **context,
        }
        return TemplateResponse(request, "calendar_app/admin/planning/move.html", context)

    def _blank(self, event, request):
        initial = {"seen": event.start_date.isoformat(), "back": request.GET.get("back")}
        return MoveForm(event, initial=initial)

    def _move(self, request, event, data):
        before = event.start_date
        try:
            events.move(event, data["start"], seen=data["seen"])
        except CalendarError as e:
            self.message_user(request, e.message, messages.ERROR)
        except ValidationError as e:
            self.message_user(request, " ".join(e.messages), messages.ERROR)
        else:
            change = f"from {before:%Y-%m-%d %H:%M} to {event.start_date:%Y-%m-%d %H:%M}"
            self.log_change(request, event, f"Moved {change}.")
            self.message_user(request, f"“{event}” was moved {change}.", messages.SUCCESS)
        return redirect(_back(data["back"]))


def _is_calendar(request):
    return request.resolver_match.url_name == CALENDAR


def _back(address):
    """Return the address of the calendar to go back to, as it was filtered."""
    calendar = reverse(f"admin:{CALENDAR}")
    is_ours = bool(address) and address.partition("?")[0] == calendar
    return address if is_ours else calendar


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
