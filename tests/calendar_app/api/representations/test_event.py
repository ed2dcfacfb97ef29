"""The event's representation, key by key."""

import datetime as dt

import pytest
import time_machine
from django.contrib.auth.models import AnonymousUser

from calendar_app.api import representations
from calendar_app.api.representations import Urls
from calendar_app.models import Event, Image

from ...support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db

URLS = Urls("https://example.org")
KEYS = (
    "id global_id global_id_lineage author status date date_utc modified modified_utc url "
    "rest_url title description excerpt slug image all_day start_date start_date_details "
    "end_date end_date_details utc_start_date utc_start_date_details utc_end_date "
    "utc_end_date_details timezone timezone_abbr cost cost_details website show_map "
    "show_map_link hide_from_listings sticky featured categories tags venue organizer "
    "ticketed custom_fields"
)


def shown(event, user=None, **options):
    """Return the representation of event as it is stored, with what user may read."""
    [found] = representations.fetch(Event, [event.pk], user or AnonymousUser())
    return representations.event(found, URLS, **options)


# Long, as it gives a value to each field and names each key of the answer.
@time_machine.travel("2027-01-02 03:04:05+00:00", tick=False)
def test_an_event_with_everything(settings):
    settings.CALENDAR_TIME_ZONE = "America/New_York"
    author = UserFactory()
    category, tag = CategoryFactory(name="Music"), TagFactory(name="Open air")
    venue, organizer = VenueFactory(name="Town Hall"), OrganizerFactory(name="Friends")
    picture = Image.objects.create(file="calendar/fair.png", width=40, height=30, filesize=99)
    event = EventFactory(
        title="Fair & Fête",
        description="<p>All <b>day</b>.</p>",
        excerpt="<p>Short.</p>",
        author=author,
        image=picture,
        start_date=dt.datetime(2027, 7, 4, 9, 5),
        end_date=dt.datetime(2027, 7, 4, 18),
        timezone="Europe/Paris",
        cost="10-25",
        website="https://fair.example/",
        show_map=False,
        show_map_link=False,
        hide_from_listings=True,
        sticky=True,
        featured=True,
        ticketed=True,
        custom_fields={"stage": "north"},
        global_id_lineage=["elsewhere.example?id=7"],
        categories=[category],
        tags=[tag],
        venues=[venue],
        organizers=[organizer],
    )
    category.refresh_from_db()
    tag.refresh_from_db()

    assert shown(event) == {
        "id": event.pk,
        "global_id": f"example.org?id={event.pk}",
        "global_id_lineage": ["elsewhere.example?id=7", f"example.org?id={event.pk}"],
        "author": str(author.pk),
        "status": "publish",
        "date": "2027-01-01 22:04:05",
        "date_utc": "2027-01-02 03:04:05",
        "modified": "2027-01-01 22:04:05",
        "modified_utc": "2027-01-02 03:04:05",
        "url": "https://example.org/event/fair-fete/",
        "rest_url": f"https://example.org/calendar/events/v1/events/{event.pk}",
        "title": "Fair & Fête",
        "description": "<p>All <b>day</b>.</p>",
        "excerpt": "<p>Short.</p>",
        "slug": "fair-fete",
        "image": representations.image(picture, URLS),
        "all_day": False,
        "start_date": "2027-07-04 09:05:00",
        "start_date_details": {
            "year": "2027",
            "month": "07",
            "day": "04",
            "hour": "09",
            "minutes": "05",
            "seconds": "00",
        },
        "end_date": "2027-07-04 18:00:00",
        "end_date_details": {
            "year": "2027",
            "month": "07",
            "day": "04",
            "hour": "18",
            "minutes": "00",
            "seconds": "00",
        },
        "utc_start_date": "2027-07-04 07:05:00",
        "utc_start_date_details": {
            "year": "2027",
            "month": "07",
            "day": "04",
            "hour": "07",
            "minutes": "05",
            "seconds": "00",
        },
        "utc_end_date": "2027-07-04 16:00:00",
        "utc_end_date_details": {
            "year": "2027",
            "month": "07",
            "day": "04",
            "hour": "16",
            "minutes": "00",
            "seconds": "00",
        },
        "timezone": "Europe/Paris",
        "timezone_abbr": "CEST",
        "cost": "$10 – $25",
        "cost_details": {
            "currency_symbol": "$",
            "currency_code": "USD",
            "currency_position": "prefix",
            "values": ["10", "25"],
        },
        "website": "https://fair.example/",
        "show_map": False,
        "show_map_link": False,
        "hide_from_listings": True,
        "sticky": True,
        "featured": True,
        "categories": [representations.embedded_term(category, URLS)],
        "tags": [representations.embedded_term(tag, URLS)],
        "venue": representations.venue(venue, URLS),
        "organizer": [representations.organizer(organizer, URLS)],
        "ticketed": True,
        "custom_fields": {"stage": "north"},
    }


def test_the_keys_stand_in_their_order():
    event = EventFactory()

    assert " ".join(shown(event)) == KEYS
    assert " ".join(shown(event, full=True)) == f"{KEYS} json_ld"
    assert " ".join(shown(event, redacted=True)) == KEYS


def test_a_bare_event_leaves_no_key_out():
    event = EventFactory(title="Bare")
    empty = {
        "author": "0",
        "description": "",
        "excerpt": "",
        "image": False,
        "cost": "",
        "cost_details": {
            "currency_symbol": "$",
            "currency_code": "USD",
            "currency_position": "prefix",
            "values": [],
        },
        "website": "https://example.org/event/bare/",
        "categories": [],
        "tags": [],
        "venue": [],
        "organizer": [],
        "custom_fields": [],
    }

    found = shown(event)

    assert {key: found[key] for key in empty} == empty


def test_several_venues_are_a_list_in_the_order_of_the_links():
    second, first = VenueFactory(), VenueFactory()
    event = EventFactory(venues=[first, second])

    assert [venue["id"] for venue in shown(event)["venue"]] == [first.pk, second.pk]


def test_organizers_are_a_list_in_the_order_of_the_links():
    second, first = OrganizerFactory(), OrganizerFactory()
    event = EventFactory(organizers=[first, second])

    assert [each["id"] for each in shown(event)["organizer"]] == [first.pk, second.pk]


def test_a_linked_draft_is_shown_to_whoever_may_read_it():
    author = UserFactory(role="Author")
    draft = {"status": "draft", "author": author}
    event = EventFactory(venues=[VenueFactory(**draft)], organizers=[OrganizerFactory(**draft)])

    for user, number in [
        (AnonymousUser(), 0),
        (UserFactory(role="Author"), 0),
        (author, 1),
        (UserFactory(role="Editor"), 1),
    ]:
        found = shown(event, user)
        assert len([found["venue"]] if found["venue"] else []) == number
        assert len(found["organizer"]) == number


def test_a_redacted_event_hides_what_the_password_protects():
    event = EventFactory(
        title="Secret feast",
        description="<p>Hidden</p>",
        excerpt="Hidden",
        cost="12",
        website="https://hidden.example/",
        image=Image.objects.create(file="calendar/hidden.png", width=1, height=1),
        custom_fields={"hidden": "hidden"},
        categories=[CategoryFactory(name="Hidden")],
        tags=[TagFactory(name="Hidden")],
        venues=[VenueFactory(name="Hidden")],
        organizers=[OrganizerFactory(name="Hidden")],
        password="hidden",
    )
    redacted = {
        "title": "Secret feast",
        "description": "",
        "excerpt": "",
        "image": False,
        "cost": "",
        "website": "",
        "categories": [],
        "tags": [],
        "venue": [],
        "organizer": [],
        "custom_fields": [],
    }

    found = shown(event, redacted=True, full=True)

    assert {key: found[key] for key in redacted} == redacted
    assert found["cost_details"]["values"] == []
    assert "hidden" not in str(found).lower()


def test_the_site_names_its_currency(settings):
    settings.CALENDAR_CURRENCY_SYMBOL = "€"
    settings.CALENDAR_CURRENCY_CODE = "EUR"
    settings.CALENDAR_CURRENCY_POSITION = "postfix"

    found = shown(EventFactory(cost="12"))

    assert found["cost"] == "12€"
    assert found["cost_details"] == {
        "currency_symbol": "€",
        "currency_code": "EUR",
        "currency_position": "postfix",
        "values": ["12"],
    }


def test_years_have_four_digits():
    event = EventFactory(start_date=dt.datetime(33, 4, 3, 15))

    found = shown(event)

    assert found["start_date"] == "0033-04-03 15:00:00"
    assert found["start_date_details"]["year"] == "0033"


def test_full_describes_the_venue_and_organizers_too():
    event = EventFactory(venues=[VenueFactory()], organizers=[OrganizerFactory()])

    found = shown(event, full=True)

    assert found["venue"]["json_ld"]["@type"] == "Place"
    assert found["organizer"][0]["json_ld"]["@type"] == "Organization"
    assert "json_ld" not in shown(event)["venue"]
