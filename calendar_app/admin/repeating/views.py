"""Events that repeat: their rule in the form of an event, and the page of all their dates."""

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.forms import Media, Script
from django.http import Http404, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path

from ... import permissions
from ...api.serializers.fields import whole_number
from ...exceptions import CalendarError, RecordNotFound
from ...models import Event
from ...services import series
from ...services.revision import writing
from ...services.series import Scope
from ...values.recurrence import RuleError
from ..look import page_action
from .earlier import EARLIER, rule_at
from .forms import KINDS, require_rights
from .words import in_words

PAGE, DATES = "calendar_app_event_series", "calendar_app_event_dates"
FOLDER = "calendar_app/admin/repeating"
GONE = "The event no longer has the series whose earlier rule was to be used again."


class Repeating:
    """Adds series to the admin of events."""

    def get_urls(self):
        view = self.admin_site.admin_view
        return [
            path("<int:pk>/series/", view(self.series_view), name=PAGE),
            path("dates/", view(self.dates_view), name=DATES),
            *super().get_urls(),
        ]

    @property
    def media(self):
        style = {"all": ["calendar_app/repeating.css"]}
        script = Script("calendar_app/repeating.js", defer=True)
        return super().media + Media(css=style, js=[script])

    def has_dates_permission(self, request, object_id=None):
        event = self.get_object(request, object_id)
        return event is None or self.has_change_permission(request, event)

    @page_action(
        description="Dates", url_path="repeats", icon="event_repeat", permissions=["dates"]
    )
    def repeats(self, request, object_id):
        return redirect(f"admin:{PAGE}", self._editable(request, object_id).pk)

    # The form of an event

    def get_form(self, request, obj=None, change=False, **kwargs):
        """Return the usual form; filled in with an earlier rule if the address names one."""
        form = super().get_form(request, obj, change, **kwargs)
        if obj is not None and (version := request.GET.get(EARLIER)) is not None:
            if not self.has_change_permission(request, obj):
                raise PermissionDenied
            form.earlier = rule_at(obj, version)
        return form

    def get_fieldsets(self, request, obj=None):
        """Return the usual fieldsets; those of an event that repeats begin with the scope."""
        usual = super().get_fieldsets(request, obj)
        if obj is None or not obj.series_id or not self.has_change_permission(request, obj):
            return usual
        (name, first), *others = usual
        return [(name, {**first, "fields": ["scope", *first["fields"]]}), *others]

    def render_change_form(self, request, context, *args, obj=None, **kwargs):
        context["may_repeat"] = obj is None or self.has_change_permission(request, obj)
        return super().render_change_form(request, context, *args, obj=obj, **kwargs)

    def store(self, request, form, **links):
        """Store the event of a valid form, and those that its rule makes or its scope names."""
        event, scope = form.instance, Scope(form.cleaned_data.get("scope", Scope.ONE))
        if form.rule and not event.series_id:
            series.create(event, form.rule, **links)
        else:
            with writing(precise=True):
                # Once more, now that nobody else can give an event to another author.
                require_rights(request.user, event, scope)
                series.save(event, scope, rule=form.rule, **links)
        if form.rule:
            number = event.series.events.untrashed().count()
            self.message_user(request, f"“{event}” now has {number} dates.", messages.SUCCESS)

    def changeform_view(self, request, *args, **kwargs):
        """Show an error if a series has changed since the form was checked, or an address made."""
        try:
            return super().changeform_view(request, *args, **kwargs)
        except RecordNotFound:
            self.message_user(request, GONE, messages.ERROR)
            return redirect(request.path)
        except RuleError as e:
            self.message_user(request, str(e), messages.ERROR)
            return redirect(request.get_full_path())

    def delete_model(self, request, obj):
        """Move an event to the trash; the date of a series is cancelled by that."""
        if obj.series_id and not obj.is_trashed:
            series.cancel(obj)
            self.message_user(
                request, f"“{obj}” was cancelled and moved to the trash.", messages.SUCCESS
            )
        else:
            super().delete_model(request, obj)

    def dates_view(self, request):
        """Show the dates that the rule in the form of an event makes, before it is saved."""
        if request.method != "POST":
            return HttpResponseNotAllowed(["POST"])
        event = self._editable(request, pk) if (pk := request.GET.get("event")) else None
        if event is None and not self.has_add_permission(request):
            raise PermissionDenied
        try:
            usual = self.get_form(request, event, change=event is not None)
        except RecordNotFound as e:
            raise Http404(GONE) from e
        form = usual(request.POST, instance=event)
        form.full_clean()
        number = sum(kind != KINDS["dropped"] for _, kind in form.dates)
        return self._answer(request, "dates", "Dates", form=form, number=number)

    # The page of all dates

    def series_view(self, request, pk):
        """Show the dates of an event, and change them as a button says."""
        event = self._editable(request, pk)
        if request.method == "POST":
            return self._change_date(request, event)
        return self._dates_page(request, event)

    def _editable(self, request, pk):
        """Return an event that the user may change."""
        found = self.get_queryset(request).select_related("series")
        event = found.filter(pk=whole_number(pk)).first()
        if event is None:
            raise Http404(f"There is no event {pk}.")
        if not self.has_change_permission(request, event):
            raise PermissionDenied
        return event

    def _dates_page(self, request, event, question=None):
        dates = _dates(event) if event.series_id else []
        rule = in_words(event.series.rrule) if event.series_id else ""
        context = {"event": event, "rule": rule, "dates": dates, "question": question}
        context["excluded"] = _excluded(event, dates) if event.series_id else []
        return self._answer(request, "series", f"Dates of “{event}”", **context)

    def _answer(self, request, template, title, **context):
        context = {
            **self.admin_site.each_context(request),
            "title": title,
            "opts": self.opts,
            "media": self.media,
            **context,
        }
        return TemplateResponse(request, f"{FOLDER}/{template}.html", context)

    def _change_date(self, request, event):
        """Cancel a date, take that back, or move several to the trash, as a button says."""
        try:
            if "trash" in request.POST and "confirmed" not in request.POST:
                return self._dates_page(request, event, _question(event, _scope(request)))
            with writing(precise=True):
                done = self._do(request, event)
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

    def _do(self, request, event):
        """Do what a button of the page says, within ``writing``; return what was done."""
        chosen = request.POST.get("cancel") or request.POST.get("restore") or event.pk
        found = Event.objects.filter(series=event.series_id).exclude(series=None)
        other = found.filter(pk=whole_number(chosen)).first()
        if other is None:
            raise Http404("There is no such date.")
        if not permissions.may_edit(request.user, other):
            raise PermissionDenied
        if "restore" in request.POST:
            series.restore(other, request.user)
            return f"{other.start_date:%Y-%m-%d} takes place again"
        if "cancel" in request.POST:
            series.cancel(other)
            return f"{other.start_date:%Y-%m-%d} was cancelled"
        scope = _scope(request)
        require_rights(request.user, event, scope)
        return f"{series.trash(event, scope)} events were moved to the trash"


def _scope(request):
    """Return the scope of the button that was pressed. Raises RuleError if it was none."""
    given = request.POST.get("trash")
    if given not in {Scope.FOLLOWING, Scope.ALL}:
        raise RuleError("Choose whether the following dates or all of them go to the trash.")
    return Scope(given)


def _question(event, scope):
    """Return what a page asks before it moves several events to the trash, and its answer."""
    doomed = [e for e in [event, *series.others_in(event, scope)] if not e.is_trashed]
    days = [each.start_date for each in doomed] or [event.start_date]
    return {"scope": scope.value, "number": len(doomed), "first": min(days), "last": max(days)}


def _excluded(event, dates):
    """Return the excluded dates that have no event, not even a cancelled one."""
    known = {each.original_start for each in dates}
    return [day for day in event.series.recurrence.exdates if day not in known]


def _dates(event):
    """Return the events of the series of event, each with its state."""
    found = list(event.series.events.order_by("original_start", "id"))
    for each in found:
        each.is_moved = each.start_date != each.original_start
    return found
