from django import forms

from ...conf import conf
from ..look import Select


class ZoneForm(forms.ModelForm):
    """A zone, whose engine is one of those that the settings declare, as ``zones.create`` says."""

    engine = forms.ChoiceField(widget=Select, choices=lambda: _engines())


def _engines():
    return [(alias, alias) for alias in conf.engines]
