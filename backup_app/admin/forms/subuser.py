from django import forms

from ...accounts import subusers
from ..look import PasswordInput
from .shared.errors import service_errors
from .shared.owned import OwnedForm


class SubuserForm(OwnedForm):
    """A subuser; the password can be set and is never shown."""

    new_password = forms.CharField(
        label="Password",
        required=False,
        strip=False,
        max_length=1000,
        widget=PasswordInput({"autocomplete": "new-password"}),
        help_text="Leave empty to keep the current one. Without one, the subuser cannot log in.",
    )

    def clean_login(self):
        with service_errors(self, "login"):
            self.cleaned_data["login"] = subusers.cleaned_login(self.cleaned_data["login"])
            subusers.require_free(self.cleaned_data["login"], self.known)
        return self.cleaned_data.get("login")

    def _post_clean(self):
        # The password is compared with the names, which the instance has only from here on.
        super()._post_clean()
        if password := self.cleaned_data.get("new_password"):
            with service_errors(self, password="new_password"):  # noqa: S106 - a field's name
                subusers.require_strong(self.instance, password)
