from django import forms

from ...api.serializers import EventSerializer
from ...models import Event
from ..look import PasswordInput, TextInput
from .post import PostForm


class EventForm(PostForm):
    """An event; its password can be set and is never shown."""

    serializer = EventSerializer
    new_password = forms.CharField(
        label="Password",
        required=False,
        strip=False,
        max_length=255,
        widget=PasswordInput({"autocomplete": "new-password"}),
        help_text="Visitors need it to read the event. Leave empty to keep the current one.",
    )
    clear_password = forms.BooleanField(label="Remove the password", required=False)

    class Meta:
        widgets = {"title": TextInput}

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if "parent" in self.fields:
            visible, own = Event.objects.visible_to(self.user), self.instance.parent_id
            self.fields["parent"].queryset = visible | Event.objects.filter(pk=own)

    def save(self, commit=True):
        password = self.cleaned_data["new_password"]
        if password or self.cleaned_data["clear_password"]:
            self.instance.set_password(password)
        return super().save(commit)
