"""Unfold's look."""
# ruff: noqa: F401 - what is only imported is for the rest of the admin

from django.apps import apps
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.core.checks import Error, Tags, register
from django.urls import reverse_lazy
from unfold import admin
from unfold.contrib.filters.admin import AutocompleteSelectFilter as RelatedFilter
from unfold.contrib.filters.admin import BooleanRadioFilter as BooleanFilter
from unfold.contrib.filters.admin import DropdownFilter, RangeDateFilter
from unfold.contrib.filters.admin import FieldTextFilter as TextFilter
from unfold.contrib.filters.admin import RangeNumericFilter as NumberRangeFilter
from unfold.contrib.filters.forms import RangeDateForm
from unfold.decorators import action as page_action
from unfold.decorators import display
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget as CheckboxSelectMultiple
from unfold.widgets import UnfoldAdminFileFieldWidget as FileInput
from unfold.widgets import UnfoldAdminPasswordToggleWidget as PasswordInput
from unfold.widgets import UnfoldAdminRadioSelectWidget as RadioSelect
from unfold.widgets import UnfoldAdminTextareaWidget as TextArea
from unfold.widgets import UnfoldAdminTextInputWidget as TextInput
from unfold.widgets import UnfoldAdminURLInputWidget as URLInput

from .lookups import OfferedLookups

TEMPLATES = "calendar_app/admin/unfold"
FORM_TEMPLATE = "admin/change_form.html"


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


class RelatedFields:
    """Says in words what Unfold has behind a ⋮: to make or edit the record that a field is for."""

    def formfield_for_dbfield(self, db_field, request, **kwargs):
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if field and isinstance(field.widget, RelatedFieldWidgetWrapper):
            field.widget.template_name = f"{TEMPLATES}/related_field.html"
        return field


class TabularInline(RelatedFields, admin.TabularInline):
    pass


class ModelAdmin(RelatedFields, OfferedLookups, admin.ModelAdmin):
    class Media:
        css = {"all": ["calendar_app/admin.css"]}


class DateRangeForm(RangeDateForm):
    class Media:
        # These scripts need Django's JavaScript catalog, which some pages of Unfold lack.
        js = [reverse_lazy("admin:jsi18n"), *RangeDateForm.Media.js]


class DateRangeFilter(RangeDateFilter):
    form_class = DateRangeForm
