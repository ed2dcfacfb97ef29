from pathlib import Path

from django import forms

from .. import pools
from ..models import Storage
from .refusals import refusals


class StorageForm(forms.ModelForm):
    """A storage; that of a folder has an absolute path, which no other one has."""

    def clean_path(self):
        path = self.cleaned_data["path"]
        if not path:
            return path
        if not path.startswith("/") or ".." in Path(path).parts:
            raise forms.ValidationError(f"'{path}' is no absolute path without '..'.")
        # Two storages in one folder would take each other's volumes for orphans.
        path = str(Path(path))
        others = Storage.objects.exclude(pk=self.instance.pk).filter(path=path)
        if other := others.first():
            raise forms.ValidationError(f"'{path}' is the folder of storage '{other}' already.")
        return path

    def clean_zone(self):
        zone = self.cleaned_data["zone"]
        if self.instance.pk and zone != self.instance.zone:
            with refusals(self, "zone"):
                for pool in self.instance.pools.all():
                    pools.require_zone(pool, Storage(name=self.instance.name, zone=zone))
        return zone

    def clean(self):
        super().clean()
        if self.cleaned_data.get("kind") == "folder" and self.cleaned_data.get("path") == "":
            self.add_error("path", "A folder needs its absolute path.")
        return self.cleaned_data
