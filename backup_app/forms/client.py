from .. import host_keys
from ..models import Client
from .owned import OwnedForm


class ClientForm(OwnedForm):
    """A client, whose pool and fileset are those of its account."""

    def clean_host_key(self):
        text = self.cleaned_data["host_key"]
        host_keys.validate(text)
        return text

    def clean(self):
        super().clean()
        self.require_own("pool", "fileset")
        for name in ("name", "ip"):
            self._require_free(name)
        return self.cleaned_data

    def _require_free(self, name):
        value = self.cleaned_data.get(name)
        others = Client.objects.present().exclude(pk=self.instance.pk)
        if value and others.filter(account=self.owner, **{name: value}).exists():
            self.add_error(name, f"The account has a client '{value}' already.")
