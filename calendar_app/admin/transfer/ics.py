"""Imports an iCalendar file in the admin: everything is shown before anything is stored."""

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path

from ... import permissions
from ...conf import conf
from ...ical.reader import ReadError, read
from ...importing import ics
from ...importing.writer import Importer
from ...models import Event
from ...models.feed import IMPORTABLE
from ...services.actor import acting
from ..look import FileInput
from . import kept

PAGE = "calendar_app_event_import_ics"
SECONDS = 60  # for all events
MOST_ROWS = 1000
NAMED = 10  # problems in messages
COMMAND = "import it with the command import_ics."


class FileForm(forms.Form):
    """A file to import; after its preview ``kept`` has the content, signed for this user."""

    file = forms.FileField(
        label="Calendar file",
        required=False,
        allow_empty_file=True,
        help_text="An iCalendar file (.ics), as most calendar programs export it.",
        widget=FileInput({"accept": ".ics,text/calendar"}),
    )
    status = forms.ChoiceField(
        label="New events become", choices=[(each.value, each.label) for each in IMPORTABLE]
    )
    kept = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, user, *args):
        super().__init__(*args)
        self.purpose = f"{PAGE}.{user.pk}"

    def clean_file(self):
        file = self.cleaned_data["file"]
        if file and file.size > conf.ICAL_MAX_BYTES:
            raise forms.ValidationError(
                f"“{file.name}” has {file.size} bytes; {conf.ICAL_MAX_BYTES} are accepted."
            )
        return file

    def clean(self):
        data = super().clean()
        if self.errors:
            return data
        if data["file"]:
            data["content"] = data["file"].read()
        elif data["kept"]:
            data["content"] = self._opened(data["kept"])
        else:
            self.add_error("file", "Choose the file to import.")
        return data

    def keep(self):
        """Return the content of a valid form as text that the next form may send back."""
        try:
            return kept.packed(self.cleaned_data["content"], self.purpose)
        except kept.KeptError as e:
            raise ReadError(f"{str(e).rstrip('.')}; {COMMAND}") from e

    def _opened(self, text):
        try:
            return kept.unpacked(text, self.purpose)
        except kept.KeptError as e:
            raise forms.ValidationError(str(e)) from e


class FileImports:
    """Adds the import of an iCalendar file to the admin of events."""

    def get_urls(self):
        return [
            path("import-ics/", self.admin_site.admin_view(self.import_ics_view), name=PAGE),
            *super().get_urls(),
        ]

    def get_changelist_instance(self, request):
        changelist = super().get_changelist_instance(request)
        changelist.may_import = permissions.may_import(request.user, self.model)
        return changelist

    def import_ics_view(self, request):
        """Show what a file would make, change and skip; import it once that is confirmed."""
        if not permissions.may_import(request.user, Event):
            raise PermissionDenied
        sent = (request.POST, request.FILES) if request.method == "POST" else ()
        form, preview = FileForm(request.user, *sent), None
        if form.is_valid():
            is_final = "confirmed" in request.POST and not form.cleaned_data["file"]
            try:
                packed = form.keep()
                outcome = _imported(form.cleaned_data, request.user, dry_run=not is_final)
            except ReadError as e:
                form.add_error("file", str(e))
            else:
                if is_final:
                    return self._done(request, outcome)
                preview = {
                    "outcome": outcome,
                    "kept": packed,
                    "status": form.cleaned_data["status"],
                }
        context = {
            **self.admin_site.each_context(request),
            "title": "Import a calendar file",
            "opts": self.opts,
            "media": self.media,
            "form": form,
            "preview": preview,
        }
        return TemplateResponse(request, "calendar_app/admin/import_ics.html", context)

    def _done(self, request, outcome):
        said = f"Imported {outcome}." if outcome.numbers else "Nothing was imported."
        self.message_user(request, said, messages.SUCCESS)
        for problem in outcome.problems[:NAMED]:
            self.message_user(request, problem, messages.WARNING)
        if more := len(outcome.problems[NAMED:]):
            self.message_user(request, f"There are {more} more remarks.", messages.WARNING)
        return redirect("admin:calendar_app_event_changelist")


def _imported(data, user, *, dry_run):
    """Return the outcome of an import, which stores all or nothing. Raises ReadError."""
    reading = read(data["content"], conf.zone_name)
    target = ics.CalendarImport(Importer(user, most_rows=MOST_ROWS), data["status"])
    limit = ics.within(SECONDS, COMMAND)
    with transaction.atomic(), acting(door="import of a calendar file"):
        ics.store(reading, target, days=conf.ICAL_HORIZON_DAYS, dry_run=dry_run, show=limit)
    return target.importer.outcome
