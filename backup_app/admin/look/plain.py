"""Django's own look, with simple counterparts of what Unfold adds to it."""
# ruff: noqa: F401 - what is only imported is for the rest of the admin

from functools import wraps

from django import forms
from django.contrib import admin
from django.contrib.admin import ChoicesFieldListFilter as ChoicesFilter
from django.contrib.admin.widgets import AdminIntegerFieldWidget as IntegerInput
from django.contrib.admin.widgets import AdminTextareaWidget as Textarea
from django.contrib.admin.widgets import AdminTextInputWidget as TextInput
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.urls import path, reverse
from django.utils.html import format_html

from .lookups import OfferedLookups
from .plain_filters import DropdownFilter, RelatedFilter, TextFilter

CHECKBOX_CLASSES = []
TEMPLATES = "backup_app/admin/plain"
CheckboxSelectMultiple = forms.CheckboxSelectMultiple
FileInput = forms.FileInput
Select = forms.Select
Switch = forms.CheckboxInput


class PasswordInput(forms.PasswordInput):
    def __init__(self, attrs=None):
        super().__init__({"class": "vTextField", **(attrs or {})})


class InlineFormSet(forms.BaseInlineFormSet):
    """Shows one page of its records where the inline has a number of them ``per_page``."""

    request = per_page = page = None

    def get_queryset(self):
        if self.per_page and self.page is None:
            number = self.request.GET.get(f"{self.prefix}-page")
            self.page = Paginator(super().get_queryset(), self.per_page).get_page(number)
            self._queryset = self.page.object_list
        return super().get_queryset()


class TabularInline(admin.TabularInline):
    formset = InlineFormSet
    template = f"{TEMPLATES}/tabular.html"
    classes = ["hide-title"]  # of each row
    per_page = None

    def get_formset(self, request, obj=None, **kwargs):
        formset = super().get_formset(request, obj, **kwargs)
        formset.request, formset.per_page = request, self.per_page
        return formset


class ModelAdmin(OfferedLookups, admin.ModelAdmin):
    """Has pages of one record besides its form, and another form to add one, as Unfold's has."""

    actions_detail = []
    add_fieldsets = []
    change_form_template = f"{TEMPLATES}/change_form.html"

    @property
    def media(self):
        # The files of RelatedFilter's field too: a list takes none from its filters.
        own = forms.Media(css={"all": ["backup_app/admin.css"]})
        return super().media + AutocompleteSelect(None, self.admin_site).media + own

    def get_fieldsets(self, request, obj=None):
        return (not obj and self.add_fieldsets) or super().get_fieldsets(request, obj)

    def get_urls(self):
        pages = [
            path(f"<path:object_id>/{page.url_path}/", self.admin_site.admin_view(page), name=name)
            for name, page in self._pages()
        ]
        return [*pages, *super().get_urls()]

    def get_actions_detail(self, request, object_id):
        """Return the links to the pages of a record that the user may open."""
        return [
            {
                "title": page.short_description,
                "path": reverse(f"{self.admin_site.name}:{name}", args=[object_id]),
            }
            for name, page in self._pages()
            if page.is_allowed(self, request)
        ]

    def changeform_view(self, request, object_id=None, form_url="", extra_context=None):
        links = self.get_actions_detail(request, object_id) if object_id else []
        context = {**(extra_context or {}), "actions_detail": links}
        return super().changeform_view(request, object_id, form_url, context)

    def _pages(self):
        prefix = f"{self.opts.app_label}_{self.opts.model_name}"
        return [(f"{prefix}_{name}", getattr(self, name)) for name in self.actions_detail]


def page_action(*, description, url_path, icon=None, permissions=()):
    """Make a method the view of a page of one record; ``icon`` is shown by Unfold only."""

    def is_allowed(model_admin, request):
        return all(getattr(model_admin, f"has_{name}_permission")(request) for name in permissions)

    def decorate(method):
        @wraps(method)
        def view(model_admin, request, object_id):
            if not is_allowed(model_admin, request):
                raise PermissionDenied
            return method(model_admin, request, object_id)

        view.short_description, view.url_path, view.is_allowed = description, url_path, is_allowed
        return view

    return decorate


def display(*, label=None, **options):
    """Do as Django's decorator; ``label`` maps values to the colours that they are shown in.

    The method returns a value, or a tuple of a value and the text to show for it.
    """

    def decorate(method):
        @wraps(method)
        def shown(*args):
            value = method(*args)
            if value is None and not options.get("boolean"):
                return admin.site.empty_value_display  # forms would write "None"
            if label is None or value is None:
                return value
            key, text = value if isinstance(value, tuple) else (value, value)
            return badge(text, label.get(key, ""))

        return admin.display(**options)(shown)

    return decorate


def badge(text, kind):
    """Return a word on a coloured background."""
    return format_html('<span class="badge {}">{}</span>', kind, text)
