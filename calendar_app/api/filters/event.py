"""The query parameters of the event list."""

from django.db.models import Exists, OuterRef

from ... import permissions
from ...conf import conf
from ...models import Category, Event, EventOrganizer, EventVenue, Organizer, Tag, Venue
from ...services import terms
from . import nearby
from .changes import ModifiedParameter
from .parameters import (
    BooleanParameter,
    IdsParameter,
    LinkedParameter,
    ListFilterSet,
    NumberParameter,
    RecordParameter,
    StatusParameter,
    TermsParameter,
)
from .search import EventSearchParameter
from .window import DateParameter, EndParameter, WindowEndParameter, WindowForm, WindowParameter

POINT = {"geoloc_lat", "geoloc_lng"}
CIRCLE = {*POINT, "geoloc_radius"}
# Parameters by which anyone could guess the details of a password-protected event.
REVEALING = {"search", "categories", "tags", "venue", "organizer", "geoloc", "geoloc_lat"}

NAMED = 500  # venues near a point, at most, whose IDs go into the query


def visible(model):
    """Return a function from a request to the records of model that its user may see."""
    return lambda request: model.objects.visible_to(request.user)


def at(venues):
    """Return the condition that an event is linked to one of these venues."""
    venue = Exists(venues.order_by().filter(pk=OuterRef("venue")))
    return Exists(EventVenue.objects.filter(venue, event=OuterRef("pk")))


class CategoriesParameter(TermsParameter):
    """A category includes its descendants."""

    def expanded(self, ids):
        return terms.with_descendants(ids)


class HiddenParameter(BooleanParameter):
    """Keeps the listed events or, if true, the hidden events that the caller may list."""

    always = True

    def filter(self, qs, value):
        qs = qs.filter(hide_from_listings=bool(value))
        if not value or permissions.may_edit_others(self.user, qs.model):
            return qs
        return qs.filter(author=self.user) if self.user.is_authenticated else qs.none()


class IncludeParameter(IdsParameter):
    def filter(self, qs, value):
        return qs.filter(pk__in=value).order_by("id")


class LocatedParameter(BooleanParameter):
    """Keeps the events with, or without, a visible venue that has coordinates."""

    def filter(self, qs, value):
        located = at(Venue.objects.visible_to(self.user).filter(geo_lat__isnull=False))
        return qs.filter(located if value else ~located)


class NearParameter(NumberParameter):
    """The latitude; keeps the events at a venue within the circle of the three parameters."""

    def filter(self, qs, value):
        others = self.parent.form.cleaned_data
        radius = others.get("geoloc_radius")
        radius = conf.GEOLOC_RADIUS_KM if radius is None else radius
        venues = Venue.objects.visible_to(self.user)
        near = nearby.within(venues, value, others["geoloc_lng"], radius).order_by().values("pk")
        # The planner knows how many events named venues have, but not those of a subquery.
        named = list(near.values_list("pk", flat=True)[: NAMED + 1])
        if not 0 < len(named) <= NAMED:
            qs, named = qs.filter(Exists(near)), near
        return qs.filter(pk__in=EventVenue.objects.filter(venue__in=named).values("event"))


class EventForm(WindowForm):
    """Completes the dates, and requires all parameters of a circle."""

    def clean(self):
        data = super().clean()
        # Clients that send all defaults do not ask for a search by distance.
        is_default = data.get("geoloc_radius") == conf.GEOLOC_RADIUS_KM
        for name in (POINT if is_default else CIRCLE).intersection(self.fields):
            for missing in sorted(POINT.difference(self.fields)):
                self.add_error(name, f"{name} requires {missing}.")
        return data


class EventFilterSet(ListFilterSet):
    """Filters all events by the parameters, and by what the caller may see.

    Hidden events are omitted even if ``include`` names them. The details of a password-protected
    event are not searched, unless the caller may see them.
    """

    start_date = WindowParameter(
        "start_utc",
        "gte",
        help_text="Events that start on this day or later: a date, a date and time or a phrase "
        "such as `next monday`, in the site's time zone unless it has an offset. Default: "
        "yesterday.",
    )
    end_date = WindowEndParameter(
        "end_utc",
        "lte",
        help_text="Events that end on this day or earlier. The default is "
        f"{conf.WINDOW_MONTHS} months ahead.",
    )
    starts_before = DateParameter(
        "start_utc",
        "lt",
        help_text="Events that start before the end of this day. Like the next three parameters, "
        "it replaces the defaults of start_date and end_date.",
    )
    starts_after = DateParameter(
        "start_utc", "gt", help_text="Events that start after the end of this day."
    )
    ends_before = EndParameter(
        "end_utc", "lt", help_text="Events that end before the end of this day."
    )
    ends_after = EndParameter(
        "end_utc", "gt", help_text="Events that end after the end of this day."
    )
    strict_dates = BooleanParameter(
        modifies=True,
        default=False,
        help_text="Compare dates to the second instead of by whole days.",
    )
    modified_after = ModifiedParameter("Events")
    search = EventSearchParameter(
        plain=["title"],
        rich=["description", "excerpt"],
        help_text="Events with all of these words in the title, description or excerpt.",
    )
    categories = CategoriesParameter(
        queryset=Category.objects.all(),
        through=Event.categories.through,
        column="category",
        help_text="Events in any of these categories or one below it: IDs or slugs, "
        "comma-separated or repeated.",
    )
    tags = TermsParameter(
        queryset=Tag.objects.all(),
        through=Event.tags.through,
        column="tag",
        help_text="Events with any of these tags: IDs or slugs, comma-separated or repeated.",
    )
    venue = LinkedParameter(
        queryset=visible(Venue),
        through=EventVenue,
        column="venue",
        help_text="Events at any of these venues: IDs, comma-separated or repeated.",
    )
    organizer = LinkedParameter(
        queryset=visible(Organizer),
        through=EventOrganizer,
        column="organizer",
        help_text="Events of any of these organizers: IDs, comma-separated or repeated.",
    )
    featured = BooleanParameter(
        "featured", help_text="Only featured events; false: only the others."
    )
    ticketed = BooleanParameter(
        "ticketed", help_text="Only events with tickets; false: only the others."
    )
    status = StatusParameter(
        help_text="Events with any of these statuses, comma-separated or repeated. The public may "
        "ask for publish only; authors find only their own events with another status. Default: "
        "all statuses except trash."
    )
    hide_from_listings = HiddenParameter(
        default=False,
        help_text="List the hidden events instead: all of them for an editor, their own for an "
        "author, none for the public.",
    )
    geoloc = LocatedParameter(
        help_text="Only events at a venue with coordinates; false: only the others."
    )
    geoloc_lat = NearParameter(
        least=-90,
        most=90,
        help_text="Latitude of the centre of a search by distance; requires geoloc_lng.",
    )
    geoloc_lng = NumberParameter(
        modifies=True,
        least=-180,
        most=180,
        help_text="Longitude of the centre; requires geoloc_lat.",
    )
    geoloc_radius = NumberParameter(
        modifies=True,
        least=0,
        most=nearby.MAX_RADIUS_KM,
        default=conf.GEOLOC_RADIUS_KM,
        help_text="Maximum distance of a venue from the centre, in kilometres.",
    )
    include = IncludeParameter(
        noun="event",
        help_text="Only the events with these IDs, comma-separated or repeated, whatever their "
        "dates; sorted by ID.",
    )
    post_parent = RecordParameter(
        "parent",
        queryset=visible(Event),
        help_text="Only events that are part of the event with this ID.",
    )

    class Meta:
        model = Event
        form = EventForm
        fields = []

    def filter_queryset(self, queryset):
        queryset = super().filter_queryset(queryset)
        if REVEALING.isdisjoint(self.filters):
            return queryset
        return queryset.open_to(self.request.user)
