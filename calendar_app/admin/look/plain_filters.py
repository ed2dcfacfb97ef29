"""Filters for Django's own look, by what is typed or chosen in a small form."""

from django import forms
from django.contrib import admin
from django.contrib.admin.views.main import ERROR_FLAG, PAGE_VAR
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.validators import EMPTY_VALUES


class FormFilter(admin.FieldListFilter):
    """Base of filters with a form of their own."""

    template = "calendar_app/admin/plain/filter.html"
    lookups = {}  # by the part of the parameter after the field's name

    def __init__(self, field, request, params, model, model_admin, field_path):
        self.request, self.model_admin = request, model_admin
        super().__init__(field, request, params, model, model_admin, field_path)
        self.used_parameters = {name: values[-1] for name, values in self.used_parameters.items()}
        self.form = forms.Form(self.given(), auto_id=f"filter_{field_path}_%s")
        self.form.fields = dict(zip(self.expected_parameters(), self.fields(), strict=True))
        self.form.full_clean()

    def fields(self):
        """Return the fields of the form, in the order of ``lookups``."""
        raise NotImplementedError

    def given(self):
        """Return what was typed or chosen, by parameter."""
        return self.used_parameters

    def has_output(self):
        return True

    def expected_parameters(self):
        return [f"{self.field_path}{ending}" for ending in self.lookups]

    def queryset(self, request, queryset):
        given = zip(self.expected_parameters(), self.lookups.values(), strict=True)
        conditions = {
            f"{self.field_path}__{lookup}": self.form.cleaned_data[name]
            for name, lookup in given
            if self.form.cleaned_data.get(name) not in EMPTY_VALUES
        }
        return queryset.filter(**conditions)

    def choices(self, changelist):
        return []

    @property
    def others(self):
        """The parameters that stay when the form is sent."""
        left = {*self.expected_parameters(), PAGE_VAR, ERROR_FLAG}
        others = ((name, values) for name, values in self.request.GET.lists() if name not in left)
        return [(name, value) for name, values in others for value in values]


class TextFilter(FormFilter):
    lookups = {"__icontains": "icontains"}

    def fields(self):
        return [forms.CharField(required=False, label=self.title)]


class NumberRangeFilter(FormFilter):
    lookups = {"_from": "gte", "_to": "lte"}

    def fields(self):
        return [forms.IntegerField(required=False, label=label) for label in ("From", "To")]


class DateRangeFilter(FormFilter):
    lookups = {"_from": "gte", "_to": "lte"}

    def fields(self):
        return [
            forms.DateField(required=False, label=label, widget=forms.DateInput({"type": "date"}))
            for label in ("From", "To")
        ]


class RelatedFilter(FormFilter):
    """One related record, found by name as in the fields of a form."""

    def __init__(self, field, *args, **options):
        self.lookups = {f"__{field.target_field.name}__exact": "exact"}
        super().__init__(field, *args, **options)

    def fields(self):
        widget = AutocompleteSelect(self.field, self.model_admin.admin_site)
        records = self.field.remote_field.model._default_manager.all()
        return [forms.ModelChoiceField(records, required=False, label=self.title, widget=widget)]

    def given(self):
        return {self.expected_parameters()[0]: self.value()}

    def value(self):
        """Return what was chosen, as it stands in the address."""
        return self.used_parameters.get(self.expected_parameters()[0])


class DropdownFilter(admin.SimpleListFilter):
    """A filter whose ``all_option`` names what is listed when nothing is chosen."""

    all_option = ["", "All"]

    def choices(self, changelist):
        everything, *others = super().choices(changelist)
        return [everything | {"display": self.all_option[1]}, *others]
