from django import forms
from django.contrib.auth.models import AnonymousUser
from rest_framework.exceptions import ValidationError

from ...api.serializers.fields import CostField, CustomFieldsField, TextField

# Fields whose value is the same in a form as in a request to the API.
SAME_AT_BOTH_DOORS = (TextField, CostField, CustomFieldsField)


class CheckedForm(forms.ModelForm):
    """A form for ``user`` whose new texts are judged and cleaned by the fields of a serializer."""

    serializer = None
    left_to_verbs = {"slug"}  # which number one that is taken
    user = AnonymousUser()

    def clean(self):
        super().clean()
        for field in self.serializer().fields.values():
            is_new = field.source in self.cleaned_data and field.source in self.changed_data
            if is_new and isinstance(field, SAME_AT_BOTH_DOORS):
                self._check(field, field.source)
        return self.cleaned_data

    def _get_validation_exclusions(self):
        return super()._get_validation_exclusions() | self.left_to_verbs

    def _check(self, field, name):
        try:
            self.cleaned_data[name] = field.run_validation(self.cleaned_data[name])
        except ValidationError as e:
            self.add_error(name, [str(sentence) for sentence in e.detail])
