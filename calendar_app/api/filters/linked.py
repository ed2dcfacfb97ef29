"""The query parameters of the lists of venues and organizers."""

from django.db.models import Exists, OuterRef
from django.utils import timezone

from ...models import Event, Organizer, Venue
from .changes import ModifiedParameter
from .event import visible
from .parameters import BooleanParameter, ListFilterSet, RecordParameter, StatusParameter
from .search import SearchParameter


class EventParameter(RecordParameter):
    """Keeps the records linked to an event; none if the caller may not see its details."""

    def filter(self, qs, value):
        events = Event.objects.disclosed_to(self.user).filter(pk=value)
        return qs.filter(**{f"{self.field_name}__in": events.order_by()})


class HasEventsParameter(BooleanParameter):
    def filter(self, qs, value):
        linked = linked_to(qs.model, Event.objects.listed_to(self.user).published())
        return qs.filter(linked if value else ~linked)


class UpcomingParameter(BooleanParameter):
    def filter(self, qs, value):
        if not value:
            return qs
        # In whole minutes, for which responses are cached.
        now = timezone.now().replace(second=0, microsecond=0)
        events = Event.objects.listed_to(self.user).filter(end_utc__gte=now)
        return qs.filter(linked_to(qs.model, events))


def linked_to(model, events):
    """Return the condition that a record of model is linked to one of these events."""
    links = model.event_links.rel.related_model.objects
    event = Exists(events.order_by().filter(pk=OuterRef("event")))
    return Exists(links.filter(event, **{model._meta.model_name: OuterRef("pk")}))


class LinkedFilterSet(ListFilterSet):
    """Filters all records by the parameters, and by what the caller may see."""

    event = EventParameter(
        "event_links__event",
        queryset=visible(Event),
        help_text="Only records linked to the event with this ID.",
    )
    has_events = HasEventsParameter(
        help_text="Only records linked to a published event; false: only the others."
    )
    only_with_upcoming = UpcomingParameter(
        default=False, help_text="Only records linked to an event that has not ended."
    )
    modified_after = ModifiedParameter("Records")
    status = StatusParameter(
        help_text="Only records with any of these statuses, comma-separated or repeated. The "
        "public may ask for publish only; authors find only their own records with another "
        "status. Default: all statuses except trash."
    )


class VenueFilterSet(LinkedFilterSet):
    search = SearchParameter(
        plain=[
            "name",
            "address",
            "city",
            "country",
            "province",
            "state",
            "stateprovince",
            "zip",
            "phone",
            "website",
        ],
        rich=["description", "excerpt"],
        help_text="Venues with all of these words in the name, description or address.",
    )

    class Meta:
        model = Venue
        fields = []


class OrganizerFilterSet(LinkedFilterSet):
    search = SearchParameter(
        plain=["name", "phone", "website", "email"],
        rich=["description", "excerpt"],
        help_text="Organizers with all of these words in the name, description or contact.",
    )

    class Meta:
        model = Organizer
        fields = []
