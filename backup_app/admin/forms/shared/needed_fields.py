"""Forms that show only the fields that a choice needs."""

import json
from typing import ClassVar

from django.forms import Script

SCRIPT = Script("backup_app/needed_fields.js", defer=True)  # of the forms that have such fields


class NeededFieldsForm:
    """Shows a field that ``needs`` names only while the choice has a value that needs it."""

    needs: ClassVar[dict] = {}  # by choice, and by its value: names of fields

    def __init__(self, *args, **options):
        super().__init__(*args, **options)
        for name, needs in self.needs.items():
            if name in self.fields:
                self.fields[name].widget.attrs["data-needs"] = json.dumps(needs)
