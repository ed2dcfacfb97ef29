"""Many clients from a CSV file: every line is shown before anything is stored."""

from django import forms
from django.contrib import messages
from django.contrib.auth import get_user_model
from django.core import signing
from django.core.exceptions import PermissionDenied
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import path

from ...accounts import staff
from ...lib.formatting import counted
from ...services import client_table
from ..forms.shared.errors import service_errors
from ..look import FileInput

PAGE = "backup_app_client_import"
MAX_BYTES = 1_000_000
MAX_LINES = 1000
SECONDS = 24 * 60 * 60  # that a preview can be confirmed
COMMAND = "use the command import_clients."


class TableForm(forms.Form):
    """A table of an account's clients; after its preview ``kept`` has it, signed for this user.

    So no file is left behind, and no forged form names one.
    """

    account = forms.CharField(
        max_length=254, label="Account", help_text="The e-mail address of the clients' owner."
    )
    file = forms.FileField(
        required=False,
        allow_empty_file=True,
        label="Table",
        help_text=f"A CSV file in UTF-8 with the columns {', '.join(client_table.REQUIRED)}, and "
        f"as needed {', '.join(client_table.OPTIONAL)}.",
        widget=FileInput({"accept": ".csv,text/csv"}),
    )
    kept = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, user, *sent):
        super().__init__(*sent, initial={"account": user.email})
        self.user, self.salt = user, f"{PAGE}.{user.pk}"

    def clean_account(self):
        email = self.cleaned_data["account"]
        accounts = get_user_model().objects.filter(email__iexact=email, is_active=True)
        found = staff.visible(self.user, accounts, "pk")[:2]
        if len(found) != 1:
            raise forms.ValidationError(f"There is no account '{email}' that you may see.")
        return found[0]

    def clean_file(self):
        file = self.cleaned_data["file"]
        if not file:
            return None
        if file.size > MAX_BYTES:
            raise forms.ValidationError(
                f"'{file.name}' has {file.size} bytes; {MAX_BYTES} are accepted here: {COMMAND}"
            )
        try:
            return file.read().decode("utf-8-sig")
        except UnicodeDecodeError as e:
            raise forms.ValidationError(f"'{file.name}' is not in UTF-8.") from e

    def clean(self):
        data = super().clean()
        if self.errors:
            return data
        if data["file"] is None and not data["kept"]:
            self.add_error("file", "Choose the table to import.")
            return data
        text = self._opened(data["kept"]) if data["file"] is None else data["file"]
        if len(text.splitlines()) > MAX_LINES:
            self.add_error("file", f"More than {MAX_LINES} lines are not accepted here: {COMMAND}")
        return data | {"text": text}

    def keep(self):
        """Return the table of a valid form as text that the next form may send back."""
        return signing.dumps(self.cleaned_data["text"], salt=self.salt, compress=True)

    def _opened(self, text):
        try:
            return signing.loads(text, salt=self.salt, max_age=SECONDS)
        except signing.BadSignature as e:
            sentence = "The preview is out of date. Choose the file again."
            raise forms.ValidationError(sentence) from e


class ClientTablePage:
    """Adds the import of a table to the admin of clients."""

    change_list_template = "backup_app/admin/client_list.html"

    def get_urls(self):
        view = self.admin_site.admin_view(self.import_table)
        return [path("import/", view, name=PAGE), *super().get_urls()]

    def changelist_view(self, request, extra_context=None):
        may = {"may_import": self.has_add_permission(request)}
        return super().changelist_view(request, {**(extra_context or {}), **may})

    def import_table(self, request):
        """Show which clients a table makes; create them once that is confirmed."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = TableForm(request.user, *_sent(request))
        found = None
        if form.is_valid():
            with service_errors(form, "file"):
                found = _onboarded(form.cleaned_data, request.POST.get("confirmed"))
        if found and found.is_stored:
            return self._created(request, found)
        frame = self.admin_site.each_context(request)
        frame |= {"opts": self.opts, "media": self.media, "title": "Import clients"}
        context = {"form": form, "found": found, "kept": form.keep() if found else ""}
        return TemplateResponse(request, "backup_app/admin/client_table.html", frame | context)

    def _created(self, request, found):
        for client in found.created:
            self.log_addition(request, client, [{"added": {}}])
        sentence = f"Created {counted(len(found.created), 'client')}."
        self.message_user(request, sentence, messages.SUCCESS)
        for fault in found.faults:
            self.message_user(request, fault, messages.WARNING)
        return redirect("admin:backup_app_client_changelist")


def _sent(request):
    return (request.POST, request.FILES) if request.method == "POST" else ()


def _onboarded(data, confirmed):
    """Return what becomes of a table: nothing but a preview of a file that was just uploaded."""
    is_seen = data["file"] is None and confirmed in ("all", "others")
    how = {"dry_run": not is_seen, "skip_bad": confirmed == "others"}
    lines = data["text"].splitlines(keepends=True)
    return client_table.onboard(data["account"], lines, **how)
