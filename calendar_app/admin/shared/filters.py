"""Filters of the admin's lists."""

import datetime as dt

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import BigIntegerField

from ...conf import conf
from ...models import Status
from ...services import terms
from ...values import time_zones
from .. import look


class StatusFilter(look.DropdownFilter):
    """Posts of one status; all but the trash when none is chosen."""

    title = parameter_name = "status"
    all_option = ["", "All but the trash"]

    def lookups(self, request, model_admin):
        return Status.choices

    def queryset(self, request, queryset):
        value = self.value()
        return queryset.filter(status=value) if value else queryset.untrashed()


class DayRangeFilter(look.DateRangeFilter):
    """Instants from the start of one day to the end of another, in the site's time zone."""

    def queryset(self, request, queryset):
        first, last = self._day("from"), self._day("to")
        if first:
            queryset = queryset.filter(**{f"{self.field_path}__gte": _instant(first, dt.time.min)})
        if last:
            queryset = queryset.filter(**{f"{self.field_path}__lte": _instant(last, dt.time.max)})
        return queryset

    def _day(self, end):
        given = self.used_parameters.get(f"{self.field_path}_{end}")
        try:
            return forms.DateField().to_python(given)
        except ValidationError:
            return None


def _instant(day, time):
    return time_zones.to_utc(dt.datetime.combine(day, time), conf.zone)


class RelatedFilter(look.RelatedFilter):
    """One related record, chosen by name; an impossible ID counts as no choice."""

    def value(self):
        value = str(super().value() or "")
        is_id = value.isdecimal() and len(value) < 20 and int(value) <= BigIntegerField.MAX_BIGINT
        return value if is_id else None


class CategoryFilter(RelatedFilter):
    """A category and its descendants."""

    def queryset(self, request, queryset):
        if self.value() is None:
            return queryset
        wanted = terms.with_descendants([int(self.value())])
        links = queryset.model.categories.through.objects.filter(category__in=wanted)
        return queryset.filter(pk__in=links.values("event"))
