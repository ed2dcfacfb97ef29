from ... import permissions
from ...conf import conf
from ...models import Category, Event, Organizer, Tag, Venue
from ...services import events
from ...values import time_zones
from .. import representations
from .fields import (
    BooleanField,
    CostField,
    CustomFieldsField,
    DateField,
    HtmlField,
    PasswordField,
    SlugField,
    TextField,
    WebAddressField,
    ZoneField,
)
from .organizer import OrganizerSerializer
from .post import PostSerializer
from .relations import LinkedField, ParentField, TermsField
from .venue import VenueSerializer

LINKS = {"venues": Venue, "organizers": Organizer, "categories": Category, "tags": Tag}


def flag(name, help_text):
    default = Event._meta.get_field(name).default
    return BooleanField(required=False, cleared=default, help_text=help_text)


class EventSerializer(PostSerializer):
    """An event; an update changes the fields in the body."""

    model = Event

    title = TextField(max_length=1000, help_text="Title, as plain text.")
    slug = SlugField(
        required=False,
        max_length=200,
        help_text="Readable part of the URL; made from the title if empty. A slug that is taken "
        "gets a number.",
    )
    excerpt = HtmlField(required=False, help_text="Short form of the description.")
    timezone = ZoneField(
        required=False,
        max_length=64,
        help_text="Time zone: an IANA name, `UTC` or `UTC+2`; the site's if empty. Without new "
        "dates the local times stay the same.",
    )
    all_day = flag(
        "all_day", "Whether the event lasts from 00:00:00 on its first to 23:59:59 on its last day."
    )
    start_date = DateField(
        help_text="Start: in the event's time zone, with an offset, or a Unix timestamp."
    )
    end_date = DateField(
        help_text="End: in the event's time zone, with an offset, or a Unix timestamp."
    )
    cost = CostField(required=False, help_text="Cost: a number, a text, or a list of these.")
    website = WebAddressField(
        required=False,
        max_length=2000,
        help_text="Absolute http(s) URL; the event's own page if empty.",
    )
    show_map = flag("show_map", "Whether to show a map.")
    show_map_link = flag("show_map_link", "Whether to show a link to a map.")
    hide_from_listings = flag("hide_from_listings", "Whether lists omit the event.")
    sticky = flag("sticky", "Whether the event is sticky in the calendar view.")
    featured = flag("featured", "Whether the event is featured.")
    ticketed = flag("ticketed", "Whether tickets are sold.")
    categories = TermsField(
        Category,
        required=False,
        help_text="Categories: IDs, names, or objects as GET returns them.",
    )
    tags = TermsField(
        Tag, required=False, help_text="Tags: IDs, names, or objects as GET returns them."
    )
    venue = LinkedField(
        VenueSerializer,
        source="venues",
        required=False,
        help_text="Venues: IDs, or objects with the fields of a venue.",
    )
    organizer = LinkedField(
        OrganizerSerializer,
        source="organizers",
        required=False,
        help_text="Organizers: IDs, or objects with the fields of an organizer.",
    )
    post_parent = ParentField(
        Event,
        source="parent",
        required=False,
        help_text="ID of the event that this one is part of.",
    )
    post_password = PasswordField(
        required=False,
        max_length=255,
        write_only=True,
        help_text="Password required to read the event; none if empty.",
    )
    custom_fields = CustomFieldsField(
        required=False, cleared={}, help_text="JSON object of custom values."
    )

    def apply(self, post, data):
        self._set_times(post, data)
        if post.pk and data.get("website") == self.context["urls"].page(post):
            data["website"] = ""
        if "post_password" in data:
            post.set_password(data.pop("post_password"))
        super().apply(post, {name: data[name] for name in data if name not in LINKS})

    def store(self, post, data):
        linked = {name: data[name] for name in LINKS if name in data}
        for name in linked.keys() & {"venues", "organizers"} if post.pk else ():
            linked[name] = [*linked[name], *self._unseen(post, name)]
        events.save(post, **linked)

    def _unseen(self, post, name):
        """Return what post is linked to and GET does not show the user, who cannot repeat it."""
        if permissions.may_edit_others(self.user, LINKS[name]):
            return []  # nothing is linked to what is in the trash
        seen = LINKS[name].objects.visible_to(self.user).values("pk")
        return getattr(post, name).exclude(pk__in=seen)

    def _set_times(self, post, data):
        zone = time_zones.get(data.get("timezone", post.timezone) or conf.zone_name)
        for name in ("start_date", "end_date"):
            if name in data:
                data[name] = self.wall(name, data, zone)

    def to_representation(self, instance):
        full = self.context.get("full", False)
        # The caller of a single event has already given its password.
        redacted = not full and not permissions.may_see_details(
            self.context["request"].user, instance
        )
        return representations.event(instance, self.context["urls"], redacted=redacted, full=full)
