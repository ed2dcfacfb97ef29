"""Exports of a list as it is filtered, and imports, as tables in CSV and JSON."""

from django import forms
from django.apps import apps
from django.contrib import messages
from django.shortcuts import redirect
from import_export.admin import ExportMixin, ImportExportMixin
from import_export.forms import ConfirmImportForm, ExportForm, ImportForm

from ...services.actor import acting
from .kept import KeptError, KeptTable
from .resources import ImageResource, resource_of
from .tables import FORMATS

if apps.is_installed("unfold"):
    from unfold.contrib.import_export.forms import ExportForm, ImportForm

HELP = (
    "A table whose first row names its columns, by the names above or as the form does, such as "
    "“Title”, “Start”, “End” and “Venue”. Spreadsheets can be saved as CSV. All rows are shown "
    "before any is imported; one with an ID changes that record."
)


class ConfirmForm(ConfirmImportForm):
    """What the page of a preview sends back."""

    format = forms.ChoiceField(
        choices=[(number, number) for number in range(len(FORMATS))], widget=forms.HiddenInput
    )
    resource = forms.CharField(required=False, disabled=True, widget=forms.HiddenInput)


class Exports(ExportMixin):
    """Lets users export the lists that they may see."""

    export_form_class = ExportForm
    formats = export_formats = import_formats = FORMATS

    def get_resource_classes(self, request):
        return [resource_of(self.form.serializer)]

    def get_resource_kwargs(self, request, *args, **kwargs):
        return {"request": request, "admin": self}

    def has_export_permission(self, request):
        return self.has_view_permission(request)


class ImageExports(Exports):
    def get_resource_classes(self, request):
        return [ImageResource]


class Transfers(ImportExportMixin, Exports):
    """Lets users who may add records import them."""

    import_form_class = ImportForm
    confirm_form_class = ConfirmForm
    tmp_storage_class = KeptTable

    def has_import_permission(self, request):
        return self.has_add_permission(request)

    def create_import_form(self, request):
        form = super().create_import_form(request)
        form.fields["import_file"].help_text = HELP
        return form

    def add_data_read_fail_error_to_form(self, form, e):
        if isinstance(e, KeptError):
            form.add_error("import_file", str(e))
        else:
            super().add_data_read_fail_error_to_form(form, e)

    def process_import(self, request, **kwargs):
        """Import what a page has shown, and was sent back by it."""
        try:
            return super().process_import(request, **kwargs)
        except KeptError as e:
            self.message_user(request, str(e), messages.ERROR)
            return redirect(f"admin:calendar_app_{self.opts.model_name}_import")

    def process_dataset(self, *args, **kwargs):
        with acting(door="import of a table"):
            return super().process_dataset(*args, **kwargs)

    def process_result(self, result, request):
        """Report what was imported: either all the rows of the preview, or none."""
        if not (result.has_errors() or result.has_validation_errors()):
            return super().process_result(result, request)
        sentence = "Nothing was imported: some rows are no longer valid. Upload the file again."
        self.message_user(request, sentence, messages.ERROR)
        return redirect(f"admin:calendar_app_{self.opts.model_name}_import")
