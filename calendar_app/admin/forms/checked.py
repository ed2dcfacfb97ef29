from django import forms
from django.contrib.auth.models import AnonymousUser
from rest_framework.exceptions import ValidationError

from ...api.serializers.fields import CostField, CustomFieldsField, TextField

# Serializer fields that take the same value from a form as from a request.
SHARED_FIELDS = (TextField, CostField, CustomFieldsField)
PROSE = {"description", "excerpt"}


class CheckedForm(forms.ModelForm):
    """A form for ``user``; fields of a serializer validate and clean the changed values."""

    serializer = None
    left_to_services = {"slug"}  # a taken one gets a number
    user = AnonymousUser()

    def clean(self):
        super().clean()
        for name in PROSE & self.cleaned_data.keys() - {*self.changed_data}:
            # As it is stored: it was shown without its tags.
            self.cleaned_data[name] = getattr(self.instance, name)
        for field in self.serializer().fields.values():
            is_new = field.source in self.cleaned_data and field.source in self.changed_data
            if is_new and isinstance(field, SHARED_FIELDS):
                self._check(field, field.source)
        return self.cleaned_data

    def _get_validation_exclusions(self):
        return super()._get_validation_exclusions() | self.left_to_services

    def _check(self, field, name):
        try:
            self.cleaned_data[name] = field.run_validation(self.cleaned_data[name])
        except ValidationError as e:
            label = str(self.fields[name].label).capitalize()
            # Errors of the API begin with the name of a parameter.
            worded = [
                str(sentence).replace(f"{field.field_name} ", f"{label} ", 1)
                for sentence in e.detail
            ]
            self.add_error(name, worded)
