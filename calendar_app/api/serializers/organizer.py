from ...models import Organizer
from .. import representations
from .fields import EmailField, TextField, WebAddressField
from .post import NamedPostSerializer


class OrganizerSerializer(NamedPostSerializer):
    """An organizer; an update changes the fields in the body."""

    model = Organizer
    represent = staticmethod(representations.organizer)

    organizer = TextField(source="name", max_length=255, help_text="Name of the organizer.")
    phone = TextField(required=False, max_length=64, help_text="Telephone number.")
    website = WebAddressField(
        required=False,
        max_length=2000,
        help_text="Absolute http(s) URL of the organizer's own site.",
    )
    email = EmailField(required=False, max_length=254, help_text="Email address.")
