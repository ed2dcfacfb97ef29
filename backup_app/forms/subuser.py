from django import forms
from django.contrib.auth.password_validation import validate_password
from unfold.widgets import UnfoldAdminPasswordToggleWidget

from .owned import OwnedForm


class SubuserForm(OwnedForm):
    """A subuser; the password is written here and never shown."""

    new_password = forms.CharField(
        label="Password",
        required=False,
        strip=False,
        max_length=1000,
        widget=UnfoldAdminPasswordToggleWidget({"autocomplete": "new-password"}),
        help_text="Empty: stays as it is. Without one, the subuser cannot log in.",
    )

    def clean_new_password(self):
        password = self.cleaned_data["new_password"]
        if password:
            validate_password(password, self.instance)
        return password
