from django import forms
from unfold.widgets import UnfoldAdminSelectWidget

from ...conf import conf


class ZoneForm(forms.ModelForm):
    """A zone, whose engine is one of those that the settings declare."""

    engine = forms.ChoiceField(widget=UnfoldAdminSelectWidget, choices=lambda: _engines())


def _engines():
    return [(alias, alias) for alias in conf.engines]
