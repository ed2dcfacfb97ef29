from django import forms
from django.contrib.auth.models import AnonymousUser

from ... import permissions
from ...conf import conf
from ...importing.remote_calendar import Service, ServiceError
from ...lib import fetch
from ...models import Event, Feed, Organizer
from ..look import TextInput

CALENDARS = ("webcal://", "webcals://")


class AddressField(forms.URLField):
    """A URL, also as calendar programs write it."""

    def to_python(self, value):
        for scheme in CALENDARS:
            value = f"https://{value.removeprefix(scheme)}" if value.startswith(scheme) else value
        return super().to_python(value)


class FeedForm(forms.ModelForm):
    url = AddressField(
        label="Address",
        max_length=2000,
        assume_scheme="https",
        widget=TextInput({"inputmode": "url"}),
        help_text=Feed._meta.get_field("url").help_text,
    )

    class Meta:
        model = Feed
        fields = [
            *("name", "kind", "url", "every", "is_active"),
            *("event_status", "categories", "organizer", "gone", "takes_over", "owner"),
        ]

    user = AnonymousUser()

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "organizer" in self.fields:
            own = Organizer.objects.filter(pk=self.instance.organizer_id)
            self.fields["organizer"].queryset = Organizer.objects.visible_to(self.user) | own
        if "owner" in self.fields:
            self.fields["owner"].queryset = permissions.writers(Event)

    def clean_url(self):
        try:
            return fetch.check_public(self.cleaned_data["url"], networks=conf.feed_networks)
        except fetch.FetchError as e:
            raise forms.ValidationError(str(e)) from e

    def clean(self):
        super().clean()
        kind, url = (self.cleaned_data.get(name) for name in ("kind", "url"))
        if url and kind == Feed.Kind.SERVICE:
            try:
                Service(url)
            except ServiceError as e:
                self.add_error("url", str(e))
        return self.cleaned_data

    def clean_owner(self):
        owner = self.cleaned_data["owner"]
        if owner and not permissions.may_import(owner, Event):
            raise forms.ValidationError(f"{owner} may not import events.")
        return owner
