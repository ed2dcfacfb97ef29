from django import forms
from django.contrib.auth.models import AnonymousUser

from ...services import images
from ...values.html import decoded, plain_text
from ..look import FileInput


class ImageForm(forms.ModelForm):
    """An image to upload as ``user``, or the title of an existing one."""

    user = AnonymousUser()
    upload = forms.FileField(
        label="File",
        widget=FileInput,
        help_text="A JPEG, PNG, GIF, WebP or AVIF picture.",
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        if self.instance.pk:
            del self.fields["upload"]

    def clean_title(self):
        title = self.cleaned_data["title"]
        return plain_text(decoded(title)) if "title" in self.changed_data else title

    def clean(self):
        """Store the upload, since only decoding shows whether it is a picture."""
        super().clean()
        upload = self.cleaned_data.get("upload")
        if upload and not self.errors:
            try:
                self.instance = images.store(
                    upload, author=self.user, title=self.cleaned_data["title"]
                )
            except images.ImageError as e:
                raise forms.ValidationError({"upload": e.message}) from e
            self.cleaned_data["title"] = self.instance.title
        return self.cleaned_data
