"""Unfold's look."""

from django.apps import apps
from django.core.checks import Error, Tags, register
from django.template.loader import render_to_string
from unfold import admin
from unfold.admin import TabularInline
from unfold.contrib.filters.admin import (
    AutocompleteSelectFilter,
    ChoicesDropdownFilter,
    DropdownFilter,
    FieldTextFilter,
)
from unfold.decorators import action, display
from unfold.forms import PaginationInlineFormSet
from unfold.widgets import (
    CHECKBOX_CLASSES,
    UnfoldAdminIntegerFieldWidget,
    UnfoldAdminPasswordToggleWidget,
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanSwitchWidget,
)

__all__ = [
    "CHECKBOX_CLASSES",
    "TEMPLATES",
    "ChoicesFilter",
    "DropdownFilter",
    "InlineFormSet",
    "IntegerInput",
    "ModelAdmin",
    "PasswordInput",
    "RelatedFilter",
    "Select",
    "Switch",
    "TabularInline",
    "TextFilter",
    "TextInput",
    "Textarea",
    "badge",
    "display",
    "page_action",
]

TEMPLATES = "backup_app/admin/unfold"
ChoicesFilter = ChoicesDropdownFilter
RelatedFilter = AutocompleteSelectFilter
TextFilter = FieldTextFilter
InlineFormSet = PaginationInlineFormSet
IntegerInput = UnfoldAdminIntegerFieldWidget
PasswordInput = UnfoldAdminPasswordToggleWidget
Select = UnfoldAdminSelectWidget
Switch = UnfoldBooleanSwitchWidget
Textarea = UnfoldAdminTextareaWidget
TextInput = UnfoldAdminTextInputWidget
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
            id="backup_app.E020",
        )
    ]


class ModelAdmin(admin.ModelAdmin):
    class Media:
        css = {"all": ["backup_app/admin.css"]}


def badge(text, kind):
    """Return a word on a coloured ground, on a page; lists have ``display(label=…)`` for it."""
    return render_to_string("unfold/helpers/label.html", {"text": text, "type": kind})
