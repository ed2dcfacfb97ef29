from django import forms

from ....services.rules import names
from .errors import service_errors


class OwnedForm(forms.ModelForm):
    """A form for a record that belongs to an account, which cannot change."""

    def clean(self):
        super().clean()
        if "name" in self.cleaned_data:
            with service_errors(self):
                names.cleaned(self.cleaned_data["name"], self._meta.model._meta.verbose_name)
        return self.cleaned_data

    def _get_validation_exclusions(self):
        # A name is unique within an account, also where the form does not offer the account.
        return super()._get_validation_exclusions() - {"account"}

    @property
    def owner(self):
        """The account of the record; None while none is chosen for a new one."""
        if "account" in self.fields:
            return self.cleaned_data.get("account")
        return self.instance.account

    @property
    def known(self):
        """The record that is edited, None for a new one."""
        return self.instance if self.instance.pk else None
