from ...models import Venue
from .. import representations
from .fields import BooleanField, CoordinateField, TextField, WebAddressField
from .post import NamedPostSerializer


def text(help_text, max_length=255):
    return TextField(required=False, max_length=max_length, help_text=help_text)


class VenueSerializer(NamedPostSerializer):
    """A venue; an update changes the fields in the body."""

    model = Venue
    represent = staticmethod(representations.venue)

    venue = TextField(source="name", max_length=255, help_text="Name of the venue.")
    address = text("Street and number.")
    city = text("City.")
    country = text("Country.")
    province = text("Province, outside the United States.")
    state = text("State, in the United States.")
    zip = text("Postal code.", 64)
    phone = text("Telephone number.", 64)
    stateprovince = text("State or province; derived from state, province and country if empty.")
    website = WebAddressField(
        required=False, max_length=2000, help_text="Absolute http(s) URL of the venue's own site."
    )
    geo_lat = CoordinateField(most=90, required=False, help_text="Latitude in degrees.")
    geo_lng = CoordinateField(most=180, required=False, help_text="Longitude in degrees.")
    show_map = BooleanField(required=False, cleared=True, help_text="Whether to show a map.")
    show_map_link = BooleanField(
        required=False, cleared=True, help_text="Whether to show a link to a map."
    )

    def apply(self, post, data):
        # The value that GET derives from state and province may be sent back, and stays derived.
        if not post.stateprovince and data.get("stateprovince") == post.region:
            data.pop("stateprovince", None)
        super().apply(post, data)
