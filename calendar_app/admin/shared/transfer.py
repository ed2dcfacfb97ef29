"""Exports of a list as it is filtered, and imports."""

from django.contrib import messages
from django.shortcuts import redirect
from import_export.admin import ExportMixin, ImportExportMixin
from unfold.contrib.import_export.forms import ExportForm, ImportForm

from .tables import CsvTable, JsonTable


class Exports(ExportMixin):
    """Lets whoever may see a list take it away."""

    resource = None
    export_form_class = ExportForm
    formats = export_formats = import_formats = [CsvTable, JsonTable]

    def get_resource_classes(self, request):
        return [self.resource]

    def get_resource_kwargs(self, request, *args, **kwargs):
        return {"request": request, "admin": self}

    def has_export_permission(self, request):
        return self.has_view_permission(request)


class Transfers(ImportExportMixin, Exports):
    """Lets whoever may add records add many."""

    import_form_class = ImportForm

    def has_import_permission(self, request):
        return self.has_add_permission(request)

    def get_import_data_kwargs(self, **kwargs):
        return super().get_import_data_kwargs(**kwargs) | {"rollback_on_validation_errors": True}

    def process_result(self, result, request):
        """Say what was imported: the rows were all accepted before, and still all are, or none."""
        if not (result.has_errors() or result.has_validation_errors()):
            return super().process_result(result, request)
        sentence = "Nothing was imported: rows that were accepted no longer are. Upload them again."
        self.message_user(request, sentence, messages.ERROR)
        return redirect(f"admin:calendar_app_{self.opts.model_name}_import")
