from django import forms

from ...exceptions import InvalidEngine
from ...models import Storage
from ...services import pools, storages
from .shared.errors import service_errors
from .shared.sizes import SizeField


class StorageForm(forms.ModelForm):
    """A storage, of the kind that its zone's engine uses.

    A folder has an absolute path of its own; a device has the name that its engine knows.
    """

    capacity = SizeField(help_text="What may be used, such as 2 TB; empty for the whole disk.")

    def clean_path(self):
        with service_errors(self, "path"):
            return storages.cleaned_path(self.instance, self.cleaned_data["path"])

    def clean_zone(self):
        zone = self.cleaned_data["zone"]
        if self.instance.pk and zone != self.instance.zone:
            with service_errors(self, "zone"):
                for pool in self.instance.pools.all():
                    pools.require_zone(pool, Storage(name=self.instance.name, zone=zone))
        return zone

    def clean(self):
        super().clean()
        # The form of an adopted storage lacks the zone, and one with a wrong path has been told.
        if "path" not in self.errors and (zone := self.cleaned_data.get("zone")):
            self._check_kind(zone)
        return self.cleaned_data

    def _check_kind(self, zone):
        given = [self.cleaned_data.get(name) or "" for name in ("path", "engine_name")]
        try:
            with service_errors(self):
                self.instance.kind = storages.kind_in(zone, *given)
        except InvalidEngine as e:
            self.add_error("zone", str(e))
