"""Filters of the admin's lists."""

from django.db.models import BigIntegerField

from .. import look


class RelatedFilter(look.RelatedFilter):
    """One related record, chosen by name; an impossible ID counts as no choice."""

    def value(self):
        value = str(super().value() or "")
        return value if value.isdecimal() and int(value) <= BigIntegerField.MAX_BIGINT else None


class DeletedFilter(look.DropdownFilter):
    """Deleted clients, or all others."""

    title = "state"
    parameter_name = "state"
    all_option = ["", "Not deleted"]

    def lookups(self, request, model_admin):
        return [("deleted", "Deleted")]

    def queryset(self, request, queryset):
        return queryset.exclude(deleted=None) if self.value() else queryset.present()
