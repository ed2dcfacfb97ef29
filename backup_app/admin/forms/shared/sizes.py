"""Numbers of bytes in forms, written and shown in readable units."""

from django import forms

from ....lib import sizes
from ...look import TextInput


class SizeField(forms.CharField):
    """A number of bytes, entered as ``500 GB``."""

    def __init__(self, **options):
        super().__init__(widget=TextInput, max_length=40, required=False, **options)

    def prepare_value(self, value):
        return sizes.exact(value) if isinstance(value, int) else value

    def to_python(self, value):
        if value in self.empty_values:
            return None
        try:
            return sizes.parse(str(value))
        except ValueError as e:
            raise forms.ValidationError(str(e)) from e

    def has_changed(self, initial, data):
        try:
            return initial != self.to_python(data)
        except forms.ValidationError:
            return True

    def run_validators(self, value):
        """Skip those of text: what was read is a number."""
