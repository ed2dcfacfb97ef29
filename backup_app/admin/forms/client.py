from django.core.exceptions import ValidationError

from ...lib import ssh_keys
from ...models import Client
from ...services import clients
from ...services.rules.limits import LIMITS
from ...services.rules.locked_fields import locked_fields
from .shared import needed_fields
from .shared.errors import service_errors
from .shared.owned import OwnedForm
from .shared.schedule import SCRIPT, ScheduledForm
from .shared.sizes import SizeField

PLACE = ["zone", "pool", "fileset", "schedule", "connection"]
CHECKED = ["name", "system", "ip", "internal_ip", *PLACE, *LIMITS]
OWN = ["pool", "fileset"]


class ClientForm(needed_fields.NeededFieldsForm, ScheduledForm, OwnedForm):
    """A client, whose pool and fileset are those of its account."""

    class Media:
        js = [SCRIPT, needed_fields.SCRIPT]

    needs = {
        "connection": {
            "ssh": ["ssh_user", "ssh_port", "host_key", "fingerprints"],
            "agent": ["agent_port", *LIMITS],
        }
    }
    bandwidth_limit = SizeField(
        help_text="What a backup may send per second, such as 5 MB; empty for no limit. "
        "Bacula does not limit what goes over TLS."
    )
    may_be_this_machine = False  # for who sees all accounts: its files may be those of any

    def clean_connection(self):
        connection = self.cleaned_data["connection"]
        is_new = "connection" in self.changed_data
        if connection == Client.Connection.LOCAL and is_new and not self.may_be_this_machine:
            raise ValidationError("Only staff who see all accounts can choose 'this machine'.")
        return connection

    def clean_host_key(self):
        text = self.cleaned_data["host_key"]
        ssh_keys.validate(text)
        return text

    def clean(self):
        super().clean()
        for name in OWN:
            self._require_own(name)
        self._require_free_name()
        if not self.errors:
            self._check()
        return self.cleaned_data

    def _check(self):
        # Fields of an adopted client that its engine defines are read-only, and not in the form.
        shown = {name: getattr(self.known, name) for name in locked_fields(self.known)}
        given = {name: (shown | self.cleaned_data)[name] for name in CHECKED}
        with service_errors(self):
            self.cleaned_data |= clients.cleaned(self.owner, known=self.known, **given)

    def _require_own(self, name):
        record = self.cleaned_data.get(name)
        if record and self.owner and record.account_id != self.owner.pk:
            self.add_error(name, f"There is no {name} '{record}' in the account '{self.owner}'.")

    def _require_free_name(self):
        name = self.cleaned_data.get("name")
        others = Client.objects.present().exclude(pk=self.instance.pk)
        if self.owner and others.filter(account=self.owner, name=name).exists():
            self.add_error("name", f"The account already has a client named '{name}'.")
