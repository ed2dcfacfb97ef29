"""Unfold's look."""
# ruff: noqa: F401 - what is only imported is for the rest of the admin

from django.apps import apps
from django.contrib.admin.widgets import RelatedFieldWidgetWrapper
from django.core.checks import Error, Tags, register
from django.template.loader import render_to_string
from unfold import admin
from unfold.contrib.filters.admin import AutocompleteSelectFilter as RelatedFilter
from unfold.contrib.filters.admin import ChoicesDropdownFilter as ChoicesFilter
from unfold.contrib.filters.admin import DropdownFilter
from unfold.contrib.filters.admin import FieldTextFilter as TextFilter
from unfold.decorators import action as page_action
from unfold.decorators import display
from unfold.forms import PaginationInlineFormSet as InlineFormSet
from unfold.widgets import CHECKBOX_CLASSES
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget as CheckboxSelectMultiple
from unfold.widgets import UnfoldAdminFileFieldWidget as FileInput
from unfold.widgets import UnfoldAdminIntegerFieldWidget as IntegerInput
from unfold.widgets import UnfoldAdminPasswordToggleWidget as PasswordInput
from unfold.widgets import UnfoldAdminSelectWidget as Select
from unfold.widgets import UnfoldAdminTextareaWidget as Textarea
from unfold.widgets import UnfoldAdminTextInputWidget as TextInput
from unfold.widgets import UnfoldBooleanSwitchWidget as Switch

from .lookups import OfferedLookups

TEMPLATES = "backup_app/admin/unfold"


@register(Tags.compatibility)
def check_filters(**kwargs):
    """Return an error where the templates of Unfold's filters are missing."""
    if apps.is_installed("unfold.contrib.filters"):
        return []
    return [
        Error(
            "The admin uses Unfold's filters, and 'unfold.contrib.filters' is not installed.",
            hint="Add it to INSTALLED_APPS, after 'unfold'.",
            id="backup_app.E020",
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
        css = {"all": ["backup_app/admin.css"]}


def badge(text, kind):
    """Return a word on a coloured background, on a page; lists have ``display(label=…)`` for it."""
    return render_to_string("unfold/helpers/label.html", {"text": text, "type": kind})
