from django import forms

from ...models import Fileset
from ...services import filesets
from ..look import IntegerInput, Switch
from .shared.errors import service_errors
from .shared.lines import DatabasesField, LinesField, PathsField
from .shared.owned import OwnedForm
from .shared.schedule import SCRIPT, ScheduledForm

CHECKED = ["include", "exclude", "databases", "verify", "schedule"]
OPTIONS = ["one_filesystem", "compression"]
CONTENT = ["name", "include", "databases"]
KEPT = ["include", "exclude", "databases", *OPTIONS]  # defined by the engine if adopted


class FilesetForm(ScheduledForm, OwnedForm):
    """A fileset, whose lists are edited as lines of text instead of JSON."""

    class Media:
        js = [SCRIPT]

    include = PathsField(
        label="Folders and files", required=False, help_text="Absolute paths, one per line."
    )
    exclude = LinesField(
        label="Exclude",
        required=False,
        help_text="Patterns such as *.tmp for names or /var/cache for paths, one per line.",
    )
    databases = DatabasesField(
        required=False, help_text="One per line: mysql or postgresql, a space and the name."
    )
    one_filesystem = forms.BooleanField(
        required=False,
        widget=Switch,
        help_text="Exclude other file systems that are mounted below a folder.",
    )
    compression = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=19,
        widget=IntegerInput,
        help_text="From 1 (fastest) to 19 (smallest). Empty: the engine's default.",
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.instance.is_adopted:
            self.fields = {name: self.fields[name] for name in self.fields if name not in KEPT}
        for name in OPTIONS:
            if name in self.fields:
                self.fields[name].initial = self.instance.options.get(name)

    def clean(self):
        super().clean()
        given = {name: self.cleaned_data[name] for name in CHECKED if name in self.cleaned_data}
        with service_errors(self):
            self.cleaned_data |= filesets.cleaned(given)
        if not self.instance.is_adopted:
            self._check_content()
        return self.cleaned_data

    def _check_content(self):
        with service_errors(self):
            self.instance.options = self._options()
        if not self.errors:
            with service_errors(self):
                filesets.require_content(*(self.cleaned_data[name] for name in CONTENT))
                lists = {name: self.cleaned_data[name] for name in ("include", "exclude")}
                filesets.require_expressible(self.owner, Fileset(**lists))

    def _options(self):
        given = {name: self.cleaned_data.get(name) for name in OPTIONS}
        given = {name: value for name, value in given.items() if value is not None}
        others = {k: v for k, v in self.instance.options.items() if k not in OPTIONS}
        return others | filesets.cleaned({"options": given})["options"]
