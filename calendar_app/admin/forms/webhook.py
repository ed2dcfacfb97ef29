from urllib.parse import urlsplit

from django import forms

from ...conf import conf
from ...lib import fetch
from ...models import Webhook
from ...models.webhook import EventType, every_type
from ..look import CheckboxSelectMultiple, TextInput


class WebhookForm(forms.ModelForm):
    may_see_all = False  # whether the user may read all events

    url = forms.URLField(
        label="URL",
        max_length=2000,
        assume_scheme="https",
        widget=TextInput({"inputmode": "url"}),
        help_text="The address at which another program waits for news of events. Ask who runs it.",
    )
    types = forms.MultipleChoiceField(
        label="Sent when",
        choices=EventType.choices,
        initial=every_type,
        widget=CheckboxSelectMultiple,
    )

    class Meta:
        model = Webhook
        fields = ["name", "url", "types", "sees_all", "is_active"]

    def clean_url(self):
        try:
            return fetch.check_public(self.cleaned_data["url"], networks=conf.webhook_networks)
        except fetch.FetchError as e:
            raise forms.ValidationError(str(e)) from e

    def clean_sees_all(self):
        sees_all = self.cleaned_data["sees_all"]
        if sees_all and not self.may_see_all:
            raise forms.ValidationError("You may not read all events, so you may not send them.")
        return sees_all

    def clean(self):
        super().clean()
        url, sees_all = (self.cleaned_data.get(name) for name in ("url", "sees_all"))
        if url and sees_all and urlsplit(url).scheme == "http" and not conf.webhook_networks:
            self.add_error("url", "What the public may not see is only sent to https:// addresses.")
        return self.cleaned_data
