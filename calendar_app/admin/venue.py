from django.contrib.admin import register
from unfold.contrib.filters.admin import FieldTextFilter
from unfold.decorators import display

from ..api.serializers import VenueSerializer
from ..models import Venue
from .forms import VenueForm
from .post import RECORD, PostAdmin, tab
from .shared.filters import DayRangeFilter, StatusFilter
from .shared.resources import resource_of


@register(Venue)
class VenueAdmin(PostAdmin):
    form = VenueForm
    resource = resource_of(VenueSerializer)
    collection = "venues"
    list_display = ["name", "status_label", "city", "country", "located", "author", "api_link"]
    list_filter = [
        StatusFilter,
        ("date_utc", DayRangeFilter),
        ("country", FieldTextFilter),
    ]
    date_hierarchy = "date_utc"
    search_fields = ["name", "address", "city", "zip", "country", "description"]
    prepopulated_fields = {"slug": ["name"]}
    fieldsets = [
        (None, {"fields": ["name", "description", "excerpt", ("image", "thumbnail")]}),
        (
            "Address",
            {
                "fields": [
                    "address",
                    ("zip", "city"),
                    ("state", "province", "stateprovince"),
                    "country",
                    ("geo_lat", "geo_lng"),
                    ("show_map", "show_map_link"),
                ]
            },
        ),
        ("Contact", {"fields": [("phone", "website")]}),
        tab("Publication", ("status", "author"), ("date", "slug")),
        tab("Record", *RECORD),
    ]

    @display(description="on the map", boolean=True)
    def located(self, venue):
        return venue.geo_lat is not None
