from django import forms
from django.core.validators import validate_email


class MailboxForm(forms.ModelForm):
    """A mailbox, whose address is stored in lower case."""

    def clean_mailbox(self):
        address = self.cleaned_data["mailbox"].lower()
        validate_email(address)
        return address
