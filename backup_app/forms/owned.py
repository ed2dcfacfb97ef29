from django import forms


class OwnedForm(forms.ModelForm):
    """A form for what belongs to an account, which stays the same when it is changed."""

    def _get_validation_exclusions(self):
        # A name is unique within an account, also where the form does not offer the account.
        return super()._get_validation_exclusions() - {"account"}

    @property
    def owner(self):
        """The account that the record belongs or is to belong to; None while it is not chosen."""
        if "account" in self.fields:
            return self.cleaned_data.get("account")
        return self.instance.account

    def require_own(self, *names):
        """Add an error to each of these fields whose record belongs to another account."""
        for name in names:
            record = self.cleaned_data.get(name)
            if record and self.owner and record.account_id != self.owner.pk:
                self.add_error(name, f"There is no {name} '{record}' in the account {self.owner}.")
