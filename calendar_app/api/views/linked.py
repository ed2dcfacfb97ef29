from ...models import Organizer, Venue
from ..filters.linked import OrganizerFilterSet, VenueFilterSet
from ..serializers import OrganizerSerializer, VenueSerializer
from .posts import PostViewSet


class VenueViewSet(PostViewSet):
    model = Venue
    kind, collection = "venue", "venues"
    serializer_class = VenueSerializer
    filterset_class = VenueFilterSet


class OrganizerViewSet(PostViewSet):
    model = Organizer
    kind, collection = "organizer", "organizers"
    serializer_class = OrganizerSerializer
    filterset_class = OrganizerFilterSet
