from django import forms

from ...models import MaintenancePlan
from .shared import needed_fields
from .shared.schedule import SCRIPT, ScheduledForm


class MaintenancePlanForm(needed_fields.NeededFieldsForm, ScheduledForm, forms.ModelForm):
    """A plan of a pool or, if it is a check, of a storage, which only some may choose."""

    class Media:
        js = [SCRIPT, needed_fields.SCRIPT]

    needs = {
        "task": {
            "prune": ["pool"],
            "verify": ["pool", "days"],
            "test": ["pool", "files"],
            "check": ["storage"],
        }
    }
    may_check = False

    def clean(self):
        super().clean()
        given = {name: self.cleaned_data.get(name) for name in ("pool", "storage")}
        is_check = self.cleaned_data.get("task") == MaintenancePlan.Task.CHECK
        wanted, other = ("storage", "pool") if is_check else ("pool", "storage")
        if is_check and not self.may_check:
            self.add_error("task", "Only staff who see all accounts may check storages.")
        elif "task" in self.cleaned_data:
            if not given[wanted] and wanted not in self.errors:
                self.add_error(wanted, f"Choose the {wanted} that this is about.")
            if given[other]:
                self.add_error(other, f"Leave it empty: this is about a {wanted}.")
        return self.cleaned_data
