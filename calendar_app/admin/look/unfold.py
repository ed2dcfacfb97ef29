"""Unfold's look."""

from django.apps import apps
from django.core.checks import Error, Tags, register
from django.urls import reverse_lazy
from unfold import admin
from unfold.admin import TabularInline
from unfold.contrib.filters.admin import (
    AutocompleteSelectFilter,
    BooleanRadioFilter,
    DropdownFilter,
    FieldTextFilter,
    RangeDateFilter,
    RangeNumericFilter,
)
from unfold.contrib.filters.forms import RangeDateForm
from unfold.decorators import action, display
from unfold.widgets import (
    UnfoldAdminFileFieldWidget,
    UnfoldAdminPasswordToggleWidget,
    UnfoldAdminTextInputWidget,
    UnfoldAdminURLInputWidget,
)

__all__ = [
    "TEMPLATES",
    "BooleanFilter",
    "DateRangeFilter",
    "DropdownFilter",
    "FileInput",
    "ModelAdmin",
    "NumberRangeFilter",
    "PasswordInput",
    "RelatedFilter",
    "TabularInline",
    "TextFilter",
    "TextInput",
    "URLInput",
    "display",
    "page_action",
]

TEMPLATES = "calendar_app/admin/unfold"
BooleanFilter = BooleanRadioFilter
NumberRangeFilter = RangeNumericFilter
RelatedFilter = AutocompleteSelectFilter
TextFilter = FieldTextFilter
FileInput = UnfoldAdminFileFieldWidget
PasswordInput = UnfoldAdminPasswordToggleWidget
TextInput = UnfoldAdminTextInputWidget
URLInput = UnfoldAdminURLInputWidget
page_action = action


@register(Tags.compatibility)
def check_filters(**kwargs):
    """Return an error where the templates of Unfold's filters are missing."""
    if apps.is_installed("unfold.contrib.filters"):
        return []
    return [
        Error(
            "The admin uses Unfold's filters, and 'unfold.contrib.filters' is not installed.",
            hint="Add it to INSTALLED_APPS, after 'unfold'.",
            id="calendar_app.E020",
        )
    ]


class ModelAdmin(admin.ModelAdmin):
    class Media:
        css = {"all": ["calendar_app/admin.css"]}


class DateRangeForm(RangeDateForm):
    class Media:
        # These scripts need Django's catalog, and Unfold loads them also on pages that lack it.
        js = [reverse_lazy("admin:jsi18n"), *RangeDateForm.Media.js]


class DateRangeFilter(RangeDateFilter):
    form_class = DateRangeForm
