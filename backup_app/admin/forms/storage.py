from pathlib import Path

from django import forms

from ...engines import get_engine
from ...exceptions import InvalidEngine
from ...models import Storage
from ...services import pools
from .errors import service_errors
from .sizes import SizeField


class StorageForm(forms.ModelForm):
    """A storage, of the kind that its zone's engine uses.

    A folder has an absolute path of its own; a device has the name that its engine knows.
    """

    capacity = SizeField(help_text="What may be used, such as 2 TB; empty for the whole disk.")

    def clean_path(self):
        path = self.cleaned_data["path"]
        if not path:
            return path
        if not path.startswith("/") or ".." in Path(path).parts:
            raise forms.ValidationError(f"'{path}' is not an absolute path without '..'.")
        # Two storages in one folder would treat each other's volumes as orphans.
        path = str(Path(path))
        others = Storage.objects.exclude(pk=self.instance.pk).filter(path=path)
        if other := others.first():
            raise forms.ValidationError(f"Storage '{other}' already uses the folder '{path}'.")
        return path

    def clean_zone(self):
        zone = self.cleaned_data["zone"]
        if self.instance.pk and zone != self.instance.zone:
            with service_errors(self, "zone"):
                for pool in self.instance.pools.all():
                    pools.require_zone(pool, Storage(name=self.instance.name, zone=zone))
        return zone

    def clean(self):
        super().clean()
        # The form of an adopted storage lacks the zone.
        if zone := self.cleaned_data.get("zone"):
            self._check_kind(zone)
        return self.cleaned_data

    def _check_kind(self, zone):
        try:
            self.instance.kind = get_engine(zone.engine).storage_kind
        except InvalidEngine as e:
            self.add_error("zone", str(e))
            return
        is_folder = self.instance.kind == Storage.Kind.FOLDER
        path = self.cleaned_data.get("path")
        if is_folder and path == "":
            self.add_error("path", "A storage in a folder needs the folder's absolute path.")
        if not is_folder and path:
            self.add_error("path", "The engine of this zone writes to devices, which have no path.")
        if is_folder and self.cleaned_data.get("engine_name"):
            self.add_error("engine_name", "Only devices have a name in the engine.")
