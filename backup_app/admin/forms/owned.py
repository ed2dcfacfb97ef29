from django import forms

from ...services import names
from .refusals import refusals


class OwnedForm(forms.ModelForm):
    """A form for what belongs to an account, which stays the same when it is changed."""

    def clean(self):
        super().clean()
        if "name" in self.cleaned_data:
            with refusals(self):
                names.cleaned(self.cleaned_data["name"], self._meta.model._meta.verbose_name)
        return self.cleaned_data

    def _get_validation_exclusions(self):
        # A name is unique within an account, also where the form does not offer the account.
        return super()._get_validation_exclusions() - {"account"}

    @property
    def owner(self):
        """The account that the record belongs or is to belong to; None while it is not chosen."""
        if "account" in self.fields:
            return self.cleaned_data.get("account")
        return self.instance.account

    @property
    def known(self):
        """The record as it is changed, None for a new one."""
        return self.instance if self.instance.pk else None
