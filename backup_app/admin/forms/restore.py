from django import forms

from ..look import TextInput


class IdsField(forms.TypedMultipleChoiceField):
    """IDs out of check boxes; whether a backup has them is for its engine to say."""

    def __init__(self, **kwargs):
        super().__init__(coerce=int, required=False, **kwargs)

    def valid_value(self, value):
        return value.isascii() and value.isdecimal()


class RestoreForm(forms.Form):
    """What of a backup is to be restored, and where to."""

    nodes = IdsField()
    files = IdsField()
    path = forms.CharField(
        label="Restore what is selected to the folder",
        initial="/",
        max_length=4096,
        strip=False,
        widget=TextInput,
        help_text="“/” is where it came from. Below any other folder the whole path is kept.",
    )
