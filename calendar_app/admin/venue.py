from django.contrib.admin import register

from ..models import Venue
from .forms.post import VenueForm
from .history.views import Histories
from .look import TextFilter, display
from .post import RECORD, PostAdmin, tab
from .shared.filters import DayRangeFilter, StatusFilter


@register(Venue)
class VenueAdmin(Histories, PostAdmin):
    form = VenueForm
    collection = "venues"
    list_display = ["name", "status_label", "city", "country", "located", "author", "api_link"]
    list_filter = [
        StatusFilter,
        ("date_utc", DayRangeFilter),
        ("country", TextFilter),
    ]
    date_hierarchy = "date_utc"
    search_fields = ["name", "address", "city", "zip", "country", "description"]
    prepopulated_fields = {"slug": ["name"]}
    fieldsets = [
        (None, {"fields": ["name", "description", "excerpt", ("image", "thumbnail"), "new_image"]}),
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
