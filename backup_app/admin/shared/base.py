"""Base classes of the app's admin."""

from django.contrib import messages
from django.db import IntegrityError
from django.http import HttpResponseRedirect

from ...accounts import audit, staff
from ...accounts.callers import address_of
from ..look import ModelAdmin


class BackupAdmin(ModelAdmin):
    """Records additions, changes and deletions in the audit log, as the API does."""

    account_field = None  # that says whose the records are, if they belong to accounts
    derived_fields = []  # that nobody fills in, shown once there is a record
    list_filter_submit = True
    list_per_page = 50
    show_full_result_count = False

    def get_queryset(self, request):
        return self._visible(request, super().get_queryset(request))

    def get_ordering(self, request):
        """Return the model's own order if none is declared: a query with sums loses it."""
        return super().get_ordering(request) or self.opts.ordering

    def get_fieldsets(self, request, obj=None):
        fieldsets = super().get_fieldsets(request, obj)
        return fieldsets if obj else [self._to_fill_in(*fieldset) for fieldset in fieldsets]

    def _to_fill_in(self, title, options):
        rows = ([row] if isinstance(row, str) else row for row in options["fields"])
        kept = [tuple(name for name in row if name not in self.derived_fields) for row in rows]
        return title, {**options, "fields": [row for row in kept if row]}

    def formfield_for_foreignkey(self, db_field, request, **kwargs):
        """Offer, and accept, only records that the user may see."""
        related = self.admin_site._registry.get(db_field.remote_field.model)
        if isinstance(related, BackupAdmin):
            records = db_field.remote_field.model._default_manager.all()
            kwargs.setdefault("queryset", related._visible(request, records))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def _visible(self, request, records):
        if self.account_field is None:
            return records
        return staff.visible(request.user, records, self.account_field)

    def changeform_view(self, request, *args, **kwargs):
        try:
            return super().changeform_view(request, *args, **kwargs)
        except IntegrityError:
            # The form was valid: another request has saved a conflicting record since.
            name = self.opts.verbose_name
            sentence = f"Another request has just saved a conflicting {name}. Nothing was saved."
            messages.error(request, sentence)
            return HttpResponseRedirect(request.get_full_path())

    def log_addition(self, request, obj, message):
        self._audit(request, obj, "add")
        return super().log_addition(request, obj, message)

    def log_change(self, request, obj, message):
        entry = super().log_change(request, obj, message)
        self._audit(request, obj, "change", entry.get_change_message())
        return entry

    def log_deletions(self, request, queryset):
        for obj in queryset:
            self._audit(request, obj, "delete")
        return super().log_deletions(request, queryset)

    def _audit(self, request, obj, verb, detail=""):
        audit.note(
            account=getattr(obj, "account", None),
            login=request.user.get_username(),
            address=address_of(request),
            operation=f"admin: {verb} {self.opts.verbose_name}",
            target=str(obj),
            outcome=audit.Outcome.DONE,
            detail=detail,
        )


class ReadOnly:
    """Records that only the service writes."""

    def has_add_permission(self, request, obj=None):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False
