"""The page of an event on which it is made to repeat, and on which its dates are changed."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path

from ... import permissions
from ...exceptions import CalendarError
from ...models import Event
from ...services import series
from ...services.series import Scope
from ...values.recurrence import RuleError
from ..look import page_action
from .forms import RuleForm

PAGE = "calendar_app_event_series"
KINDS = {"kept": "stays", "new": "is new", "dropped": "goes to the trash"}


class Repeating:
    """Adds series to the admin of events."""

    def get_urls(self):
        view = self.admin_site.admin_view(self.series_view)
        return [path("<int:pk>/series/", view, name=PAGE), *super().get_urls()]

    @page_action(description="Repeats", url_path="repeats", icon="event_repeat")
    def repeats(self, request, object_id):
        return redirect(f"admin:{PAGE}", object_id)

    def get_fieldsets(self, request, obj=None):
        """Return the usual fieldsets; those of an event that repeats begin with the scope."""
        usual = super().get_fieldsets(request, obj)
        if obj is None or not obj.series_id or not self.has_change_permission(request, obj):
            return usual
        (name, first), *others = usual
        return [(name, {**first, "fields": ["scope", *first["fields"]]}), *others]

    def delete_model(self, request, obj):
        """Move an event to the trash; the date of a series is cancelled by that."""
        if obj.series_id and not obj.is_trashed:
            series.cancel(obj)
            self.message_user(
                request, f"“{obj}” was cancelled and moved to the trash.", messages.SUCCESS
            )
        else:
            super().delete_model(request, obj)

    def series_view(self, request, pk):
        """Show the rule and the dates of an event, and change them once they were looked at."""
        event = self.get_queryset(request).filter(pk=pk).select_related("series").first()
        if event is None:
            raise Http404(f"There is no event {pk}.")
        if not self.has_change_permission(request, event):
            raise PermissionDenied
        if request.method == "POST" and "interval" not in request.POST:
            return self._change_date(request, event)
        form = RuleForm(event, event.series, request.POST or None)
        if form.is_valid() and "edit" not in request.POST:
            try:
                self._require_rights(request, event, form.scope_or_none or Scope.ONE)
                if "confirmed" in request.POST:
                    return self._save(request, event, form)
                return self._page(request, event, form, _plan(event, form))
            except RuleError as e:
                form.add_error(None, str(e))
        return self._page(request, event, form)

    def _page(self, request, event, form, plan=None):
        context = {
            **self.admin_site.each_context(request),
            "title": f"How “{event}” repeats",
            "opts": self.opts,
            "media": self.media,
            "event": event,
            "form": form,
            "plan": plan,
            "sent": [(k, v) for k, vs in request.POST.lists() for v in vs if k in form.fields],
            "dates": _dates(event) if event.series_id and plan is None else [],
        }
        return TemplateResponse(request, "calendar_app/admin/repeating/series.html", context)

    def _require_rights(self, request, event, scope):
        """Raise RuleError if an event that scope names is not the user's to change."""
        for other in series.others_in(event, scope):
            if not (other.is_trashed or permissions.may_edit(request.user, other)):
                raise RuleError(f"“{other}” on {other.start_date:%Y-%m-%d} is not yours to edit.")

    def _save(self, request, event, form):
        rule = form.rule()
        if event.series_id:
            series.save(event, form.scope_or_none, rule=rule)
        else:
            series.create(event, rule)
        number = event.series.events.untrashed().count()
        self.log_change(request, event, f"Repeats: {event.series}.")
        self.message_user(request, f"“{event}” now has {number} dates.", messages.SUCCESS)
        return redirect(f"admin:{PAGE}", event.pk)

    def _change_date(self, request, event):
        """Cancel a date, take that back, or move several to the trash, as a button says."""
        chosen = request.POST.get("cancel") or request.POST.get("restore") or event.pk
        found = Event.objects.filter(series=event.series_id).exclude(series=None)
        other = found.filter(pk=chosen).first() if str(chosen).isdecimal() else None
        if other is None:
            raise Http404("There is no such date.")
        if not permissions.may_edit(request.user, other):
            raise PermissionDenied
        try:
            done = self._do(request, event, other)
        except RuleError as e:
            self.message_user(request, str(e), messages.ERROR)
        except CalendarError as e:
            self.message_user(request, e.message, messages.ERROR)
        else:
            self.log_change(request, event, f"{done}.")
            self.message_user(request, f"{done}.", messages.SUCCESS)
            if "trash" in request.POST:
                return redirect("admin:calendar_app_event_changelist")
        return redirect(f"admin:{PAGE}", event.pk)

    def _do(self, request, event, other):
        """Do what a button of the page says; return what was done."""
        if "restore" in request.POST:
            series.restore(other, request.user)
            return f"{other.start_date:%Y-%m-%d} takes place again"
        if "cancel" in request.POST:
            series.cancel(other)
            return f"{other.start_date:%Y-%m-%d} was cancelled"
        scope = Scope.ALL if request.POST.get("trash") == Scope.ALL else Scope.FOLLOWING
        self._require_rights(request, event, scope)
        return f"{series.trash(event, scope)} events were moved to the trash"


def _plan(event, form):
    """Return the dates that the rule of a valid form makes, with what becomes of each."""
    if not event.series_id:
        return [(day, KINDS["new"]) for day in series.preview(event, form.rule())]
    event = Event.objects.get(pk=event.pk)
    found = series.planned(event, form.scope_or_none, form.rule())
    return [(day, KINDS[kind]) for day, kind in found.days]


def _dates(event):
    """Return the events of the series of event, each with its state."""
    found = list(event.series.events.order_by("original_start", "id"))
    for each in found:
        each.is_moved = each.start_date != each.original_start
    return found
