"""The pages that move an event and make a copy of it, and their form."""

import datetime as dt

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path, reverse

from ... import permissions
from ...conf import conf
from ...exceptions import CalendarError, Stale
from ...models import Status
from ...services import events, posts
from ...services.revision import writing
from ...values import dates, time_zones
from ..forms.moments import in_words
from ..look import TextInput, page_action

CALENDAR, MOVE = "calendar_app_event_calendar", "calendar_app_event_move"


class MoveForm(forms.Form):
    """Another start of ``event``: as typed, or a day to which it was dragged from another."""

    start = forms.CharField(
        label="New start",
        required=False,
        widget=TextInput({"placeholder": "next friday 8pm", "autocomplete": "off"}),
        help_text="A date and time, such as “2027-03-05 20:00”, “next friday 8pm” or "
        "“+1 week”. The event stays as long as it is.",
    )
    seen = forms.CharField(widget=forms.HiddenInput)
    dragged_from = forms.DateField(required=False, widget=forms.HiddenInput)
    dragged_to = forms.DateField(required=False, widget=forms.HiddenInput)
    back = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, event, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.event = event

    def clean_seen(self):
        try:
            return dt.datetime.fromisoformat(self.cleaned_data["seen"]).replace(tzinfo=None)
        except ValueError as e:
            raise forms.ValidationError("Reload the page, and move the event again.") from e

    def clean(self):
        super().clean()
        if self.errors:
            return self.cleaned_data
        try:
            self.cleaned_data["start"] = self._dragged() or self._typed()
        except dates.DateError as e:
            self.add_error("start", in_words(e))
        except OverflowError:
            self.add_error("start", "The new start is not in the years 1 to 9999.")
        return self.cleaned_data

    def _dragged(self):
        first, last = (self.cleaned_data[name] for name in ("dragged_from", "dragged_to"))
        return self.cleaned_data["seen"] + (last - first) if first and last else None

    def _typed(self):
        text = self.cleaned_data["start"]
        if not text:
            raise dates.DateError("Say when the event is to start.")
        zone = time_zones.get(self.event.timezone or conf.zone_name)
        # "+1 week" is from where the event is, not from now.
        if text.lstrip().startswith(("+", "-")):
            return dates.wall(text, zone, time_zones.to_utc(self.event.start_date, zone))
        return dates.wall(text, zone)


class Moving:
    """Adds these pages to the admin of events."""

    def get_urls(self):
        view = self.admin_site.admin_view(self.move_view)
        return [path("<int:pk>/move/", view, name=MOVE), *super().get_urls()]

    def move_view(self, request, pk):
        """Ask where to move an event, and move it; of a published one, ask whether to."""
        event = self.get_queryset(request).filter(pk=pk).first()
        if event is None:
            raise Http404(f"There is no event {pk}.")
        if not self.has_change_permission(request, event):
            raise PermissionDenied
        initial = {"seen": event.start_date.isoformat(), "back": request.GET.get("back")}
        form = MoveForm(event, request.POST or None, initial=initial)
        if form.is_valid() and (event.status != Status.PUBLISH or request.POST.get("confirmed")):
            return self._move(request, event, form.cleaned_data)
        start = form.is_valid() and form.cleaned_data["start"]
        end = start and start + (event.end_date - event.start_date)
        return self._asking(request, event, form, verb="Move", start=start, end=end)

    def has_duplicate_permission(self, request, object_id=None):
        return self.has_add_permission(request)

    @page_action(
        description="Duplicate",
        url_path="duplicate",
        icon="content_copy",
        permissions=["duplicate"],
    )
    def duplicate(self, request, object_id):
        """Ask when a copy of an event is to start, make it as a draft, and open its form."""
        event = self.present(request, object_id)
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

    def present(self, request, object_id):
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

    def _move(self, request, event, data):
        before = event.start_date
        try:
            with writing(precise=True):
                self._require_movable(request, event)
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

    def _require_movable(self, request, event):
        """Raise an error if the user may no longer move event, or was not asked whether to."""
        posts.reload(event)
        if not permissions.may_edit(request.user, event):
            raise PermissionDenied
        if event.status == Status.PUBLISH and not request.POST.get("confirmed"):
            raise Stale(f"“{event}” was published meanwhile: move it again to confirm that.")


def _back(address):
    """Return the address of the calendar to go back to, as it was filtered."""
    calendar = reverse(f"admin:{CALENDAR}")
    is_ours = bool(address) and address.partition("?")[0] == calendar
    return address if is_ours else calendar
