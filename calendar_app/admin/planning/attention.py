"""Coming events that somebody should look at, and the list's filter of them."""

from django.db.models import Exists, OuterRef

from ...models import Event, EventVenue, Status
from ...services import oversights
from .. import look
from . import periods

NEEDS = {
    "venue": "Without a venue",
    "image": "Without an image",
    "collision": "Venue taken twice",
}


class AttentionFilter(look.DropdownFilter):
    """Coming events that lack something, or share their venue with another at the same time."""

    title = parameter_name = "attention"
    all_option = ["", "All"]

    def lookups(self, request, model_admin):
        return NEEDS.items()

    def queryset(self, request, queryset):
        need = self.value()
        return needing(need, queryset, request.user) if need in NEEDS else queryset


def needing(need, events, user):
    """Keep the coming events that need attention for this reason, as far as user sees it."""
    coming = periods.within(events, "upcoming")
    match need:
        case "venue":
            kept = EventVenue.objects.exclude(venue__status=Status.TRASH)
            return coming.filter(~Exists(kept.filter(event=OuterRef("pk"))))
        case "image":
            return coming.filter(image=None, image_url="")
    known = periods.within(Event.objects.disclosed_to(user), "upcoming")
    return coming.filter(pk__in=oversights.colliding(known, user))
