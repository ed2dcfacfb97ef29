from django import forms

from ..look import TextInput


class IdsField(forms.TypedMultipleChoiceField):
    """IDs from check boxes; the engine checks whether the backup has them."""

    def __init__(self, **kwargs):
        super().__init__(coerce=int, required=False, **kwargs)

    def valid_value(self, value):
        return value.isascii() and value.isdecimal()


class RestoreForm(forms.Form):
    """What to restore of a backup, and where."""

    nodes = IdsField()
    files = IdsField()
    path = forms.CharField(
        label="Restore the selection to the folder",
        initial="/",
        max_length=4096,
        strip=False,
        widget=TextInput,
        help_text="“/” is the original location. Another folder gets the full path below it.",
    )
