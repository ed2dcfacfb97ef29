"""How the calendar's fields look in the admin."""

from django.db import models

from ...models.fields import WallTimeField
from ..look import TextInput, URLInput


class WallTimeInput(TextInput):
    """A browser's picker of a local date and time, to the second."""

    input_type = "datetime-local"

    def __init__(self, attrs=None):
        super().__init__({"step": 1, **(attrs or {})})

    def format_value(self, value):
        return value.isoformat(timespec="seconds") if hasattr(value, "isoformat") else value


FORMFIELDS = {
    WallTimeField: {"widget": WallTimeInput},
    models.URLField: {"widget": URLInput, "assume_scheme": "https"},
}
