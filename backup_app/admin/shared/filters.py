"""Filters of the admin's lists."""

from django.db.models import BigIntegerField

from .. import look


class RelatedFilter(look.RelatedFilter):
    """One related record, chosen by name; one that the user cannot see counts as no choice."""

    def __init__(self, field, request, params, model, model_admin, **options):
        related = model_admin.admin_site._registry.get(field.remote_field.model)
        self.records = related and related.get_queryset(request)
        super().__init__(field, request, params, model, model_admin, **options)

    def value(self):
        value = str(super().value() or "")
        is_id = value.isdecimal() and len(value) < 20 and int(value) <= BigIntegerField.MAX_BIGINT
        return value if is_id and self._is_visible(value) else None

    def _is_visible(self, pk):
        return self.records is None or self.records.filter(pk=pk).exists()


class DeletedFilter(look.DropdownFilter):
    """Deleted clients, or all others."""

    title = "state"
    parameter_name = "state"
    all_option = ["", "Not deleted"]

    def lookups(self, request, model_admin):
        return [("deleted", "Deleted")]

    def queryset(self, request, queryset):
        return queryset.exclude(deleted=None) if self.value() else queryset.present()
