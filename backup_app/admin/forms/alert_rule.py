from django import forms
from django.forms import Script

from ...alerts import targets
from ...models.alert import AlertEvent, every_event
from ..look import CheckboxSelectMultiple, TextInput
from .shared.errors import service_errors
from .shared.owned import OwnedForm


class AlertRuleForm(OwnedForm):
    """A rule of an account, or of the operator if the user may make one without an account."""

    class Media:
        js = [Script("backup_app/search_labels.js", defer=True)]

    may_be_operators = False

    events = forms.MultipleChoiceField(
        choices=[(value, str(label).capitalize()) for value, label in AlertEvent.choices],
        initial=every_event,
        required=False,
        widget=CheckboxSelectMultiple,
    )

    class Meta:
        widgets = {"target": TextInput}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.may_be_operators and "account" in self.fields:
            self.fields["account"].help_text = "Empty for a rule about all accounts."

    def clean(self):
        super().clean()
        if "channel" in self.cleaned_data and "target" in self.cleaned_data:
            with service_errors(self):
                given = self.cleaned_data["channel"], self.cleaned_data["target"]
                self.cleaned_data["target"] = targets.cleaned(*given)
        self._check_account()
        if not (self.cleaned_data.get("events") or self.cleaned_data.get("summary")):
            self.add_error("events", "Choose events, or a summary: this rule would send nothing.")
        return self.cleaned_data

    def _check_account(self):
        owner = self.owner
        if owner is None and not self.may_be_operators and "account" not in self.errors:
            self.add_error("account", "Choose the account whose clients the rule is about.")
        for client in self.cleaned_data.get("clients") or ():
            if owner is not None and client.account_id != owner.pk:
                self.add_error("clients", f"Client '{client}' belongs to another account.")
