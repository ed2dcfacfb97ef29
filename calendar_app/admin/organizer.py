from django.contrib.admin import register

from ..models import Organizer
from .forms.post import OrganizerForm
from .history.views import Histories
from .post import RECORD, PostAdmin, tab
from .shared.filters import DayRangeFilter, StatusFilter


@register(Organizer)
class OrganizerAdmin(Histories, PostAdmin):
    form = OrganizerForm
    collection = "organizers"
    list_display = ["name", "status_label", "email", "phone", "author", "api_link"]
    list_filter = [StatusFilter, ("date_utc", DayRangeFilter)]
    date_hierarchy = "date_utc"
    search_fields = ["name", "email", "phone", "description"]
    prepopulated_fields = {"slug": ["name"]}
    fieldsets = [
        (None, {"fields": ["name", "description", "excerpt", ("image", "thumbnail"), "new_image"]}),
        ("Contact", {"fields": ["email", ("phone", "website")]}),
        tab("Publication", ("status", "author"), ("date", "slug")),
        tab("Record", *RECORD),
    ]
