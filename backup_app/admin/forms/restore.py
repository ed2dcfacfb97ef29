from django import forms

from ...engines.previews import Existing
from ...models import Client

EXISTING = {
    Existing.OVERWRITE: "Overwrite them",
    Existing.KEEP_NEWER: "Keep those that are newer than the backup's",
    Existing.KEEP: "Keep them all",
}
LARGEST = 2**63 - 1


class IdsField(forms.TypedMultipleChoiceField):
    """IDs from check boxes; the engine checks whether the backup has them."""

    def __init__(self, **kwargs):
        super().__init__(coerce=int, required=False, **kwargs)

    def valid_value(self, value):
        return value.isascii() and value.isdecimal() and len(value) < 20 and int(value) <= LARGEST


class SelectionForm(forms.Form):
    """What is checked on a page of a folder, and what is there."""

    nodes = IdsField()
    files = IdsField()
    shown_nodes = IdsField()
    shown_files = IdsField()

    @property
    def chosen(self):
        return {name: self.cleaned_data[name] for name in ("nodes", "files")}

    @property
    def shown(self):
        return {name: self.cleaned_data[f"shown_{name}"] for name in ("nodes", "files")}


class TargetForm(forms.Form):
    """Where a selection of a backup is restored to, and what happens to what is there."""

    client = forms.ModelChoiceField(Client.objects.none(), label="Client", empty_label=None)
    path = forms.CharField(
        label="Folder",
        max_length=4096,
        strip=False,
        help_text="“/” is the original location. Another folder gets the full path below it.",
    )
    existing = forms.ChoiceField(label="Files that are there", choices=list(EXISTING.items()))

    def __init__(self, job, data=None):
        defaults = {"client": job.client_id, "path": "/", "existing": Existing.OVERWRITE}
        sent = data or {}
        super().__init__({name: sent.get(name, value) for name, value in defaults.items()})
        clients = Client.objects.present().filter(account=job.account_id, zone__engine=job.engine)
        self.fields["client"].queryset = clients.order_by("name")

    @property
    def target(self):
        """The keyword arguments of ``start_restore`` and ``plan_restore``."""
        path = self.cleaned_data["path"].encode(errors="surrogateescape")
        return {
            "client": self.cleaned_data["client"],
            "path": path,
            "existing": self.cleaned_data["existing"],
        }


class MomentForm(forms.Form):
    """A moment, and a folder to open the backup of then at."""

    at = forms.DateTimeField(
        label="As of", required=False, widget=forms.DateTimeInput(attrs={"type": "datetime-local"})
    )
    path = forms.CharField(label="Folder", required=False, max_length=4096, strip=False)
