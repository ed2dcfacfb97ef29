"""Texts with HTML: an editor for those who may change a record, and for others what it says."""

from django import forms
from django.utils.html import format_html
from django.utils.safestring import mark_safe

from ...values.html import rich_text
from ..forms.prose import ProseField, ProseWidget
from ..look import TextArea, display

SHOWN = {"description": "shown_description", "excerpt": "shown_excerpt"}
# These only say what a form is to do.
LEFT_OUT = {"new_image", "new_venue", "new_organizer", "new_password", "clear_password"}


class Prose(ProseWidget, TextArea):
    """A text area of the look."""


class ProsePages:
    """Mixed into an admin: who may not change a record is shown nothing to fill in either."""

    @property
    def media(self):
        return super().media + forms.Media(css={"all": ["calendar_app/editor.css"]})

    def formfield_for_dbfield(self, db_field, request, **kwargs):
        if db_field.name in SHOWN:
            kwargs |= {"form_class": ProseField, "widget": Prose}
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def get_fieldsets(self, request, obj=None):
        usual = super().get_fieldsets(request, obj)
        if obj is None or self.has_change_permission(request, obj):
            return usual
        return [(name, {**each, "fields": [*_shown(each["fields"])]}) for name, each in usual]

    @display(description="description")
    def shown_description(self, record):
        return _rendered(record.description)

    @display(description="excerpt")
    def shown_excerpt(self, record):
        return _rendered(record.excerpt)


def _shown(fields):
    """Yield the fields of a fieldset, some of which stand in one line, as a list or tuple."""
    for each in fields:
        if isinstance(each, str):
            if each not in LEFT_OUT:
                yield SHOWN.get(each, each)
        elif line := [*_shown(each)]:
            yield line


def _rendered(html):
    # Sanitized once more: rows may have been written without the app.
    safe = mark_safe(rich_text(html))  # noqa: S308
    return format_html('<div class="prose-content">{}</div>', safe) if safe else None
