"""The filters of the calendar, which keep what its address says."""

from django.contrib import admin

from ..shared.filters import StatusFilter


class KeptFilter(admin.SimpleListFilter):
    """A parameter of the calendar's address, which its filters keep."""

    template = "calendar_app/admin/kept_filter.html"

    def lookups(self, request, model_admin):
        return [("kept", "kept")]

    def queryset(self, request, queryset):
        return queryset

    def choices(self, changelist):
        return [{"name": self.parameter_name, "value": self.value() or ""}]


class SpanFilter(KeptFilter):
    title = parameter_name = "span"


class DayFilter(KeptFilter):
    title = parameter_name = "day"


class AnyStatusFilter(StatusFilter):
    """Events of one status; all when none is chosen, with those in the trash."""

    all_option = ["", "All"]

    def queryset(self, request, queryset):
        return queryset.filter(status=self.value()) if self.value() else queryset
