"""Filters of the admin's lists."""

import datetime as dt

from django.db.models import BigIntegerField
from django.urls import reverse_lazy
from unfold.contrib.filters.admin import (
    AutocompleteSelectFilter,
    DropdownFilter,
    RangeDateFilter,
)
from unfold.contrib.filters.forms import RangeDateForm
from unfold.utils import parse_date_str

from ...conf import conf
from ...models import Status
from ...services import terms
from ...values import time_zones


class StatusFilter(DropdownFilter):
    """One status; everything but the trash when none is chosen."""

    title = parameter_name = "status"
    all_option = ["", "All but the trash"]

    def lookups(self, request, model_admin):
        return Status.choices

    def queryset(self, request, queryset):
        value = self.value()
        return queryset.filter(status=value) if value else queryset.untrashed()


class DayRangeForm(RangeDateForm):
    class Media:
        # These scripts need Django's catalog, and Unfold loads them also on pages that lack it.
        js = [reverse_lazy("admin:jsi18n"), *RangeDateForm.Media.js]


class DayRangeFilter(RangeDateFilter):
    """Instants from the first moment of one day to the last of another, in the site's zone."""

    form_class = DayRangeForm

    def queryset(self, request, queryset):
        first, last = self._day("from"), self._day("to")
        if first:
            queryset = queryset.filter(**{f"{self.field_path}__gte": _instant(first, dt.time.min)})
        if last:
            queryset = queryset.filter(**{f"{self.field_path}__lte": _instant(last, dt.time.max)})
        return queryset

    def _day(self, end):
        return parse_date_str(self.used_parameters.get(f"{self.field_path}_{end}"))


def _instant(day, time):
    return time_zones.to_utc(dt.datetime.combine(day, time), conf.zone)


class RelatedFilter(AutocompleteSelectFilter):
    """One related record, chosen by name; an ID that none can have counts as no choice."""

    def value(self):
        value = str(super().value() or "")
        return value if value.isdecimal() and int(value) <= BigIntegerField.MAX_BIGINT else None


class CategoryFilter(RelatedFilter):
    """A category with all below it."""

    def queryset(self, request, queryset):
        if self.value() is None:
            return queryset
        wanted = terms.with_descendants([int(self.value())])
        links = queryset.model.categories.through.objects.filter(category__in=wanted)
        return queryset.filter(pk__in=links.values("event"))
