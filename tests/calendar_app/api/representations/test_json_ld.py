"""The schema.org descriptions in single records."""

import datetime as dt

import pytest
import time_machine
from django.contrib.auth.models import AnonymousUser

from calendar_app.api import representations
from calendar_app.api.representations import Urls
from calendar_app.api.representations.json_ld import text_of
from calendar_app.models import Event, Image

from ...support.factories import EventFactory, OrganizerFactory, VenueFactory

pytestmark = pytest.mark.django_db

URLS = Urls("https://example.org")
PLACE = {
    "@type": "Place",
    "name": "Town Hall",
    "description": "Old & grey.",
    "url": "https://example.org/venue/town-hall/",
    "address": {
        "@type": "PostalAddress",
        "streetAddress": "1 Main Street",
        "addressLocality": "Springfield",
        "addressRegion": "Oregon",
        "postalCode": "97477",
        "addressCountry": "United States",
    },
    "geo": {"@type": "GeoCoordinates", "latitude": 44.05, "longitude": 0.0},
    "telephone": "+1 541 555 0100",
    "sameAs": "https://hall.example/",
}
ORGANIZATION = {
    "@type": "Organization",
    "name": "Friends",
    "url": "https://example.org/organizer/friends/",
    "telephone": "+1 541 555 0101",
    "email": "friends@example.org",
    "sameAs": "https://friends.example/",
}


def town_hall():
    return VenueFactory(
        name="Town Hall",
        description="<p>Old &amp; grey.</p>",
        address="1 Main Street",
        city="Springfield",
        state="Oregon",
        zip="97477",
        country="United States",
        geo_lat=44.05,
        geo_lng=0.0,
        phone="+1 541 555 0100",
        website="https://hall.example/",
    )


def friends():
    return OrganizerFactory(
        name="Friends",
        phone="+1 541 555 0101",
        email="friends@example.org",
        website="https://friends.example/",
    )


def described(event):
    [found] = representations.fetch(Event, [event.pk], AnonymousUser())
    return representations.event(found, URLS, full=True)["json_ld"]


def offers(cost):
    return described(EventFactory(title="Fair", cost=cost)).get("offers")


@time_machine.travel("2027-01-02 03:04:05+00:00", tick=False)
def test_an_event_with_everything(settings):
    settings.CALENDAR_TIME_ZONE = "America/New_York"
    event = EventFactory(
        title="Fair",
        description="<p>Games.</p><p>Food.</p>",
        image=Image.objects.create(file="calendar/fair.png", width=4, height=3),
        start_date=dt.datetime(2027, 7, 4, 9),
        end_date=dt.datetime(2027, 11, 8, 18),
        timezone="America/New_York",
        cost="$20",
        venues=[town_hall()],
        organizers=[friends()],
    )

    assert described(event) == {
        "@context": "https://schema.org",
        "@type": "Event",
        "name": "Fair",
        "description": "Games. Food.",
        "image": "https://example.org/media/calendar/fair.png",
        "url": "https://example.org/event/fair/",
        "eventAttendanceMode": "https://schema.org/OfflineEventAttendanceMode",
        "eventStatus": "https://schema.org/EventScheduled",
        "startDate": "2027-07-04T09:00:00-04:00",
        "endDate": "2027-11-08T18:00:00-05:00",
        "location": PLACE,
        "organizer": ORGANIZATION,
        "offers": {
            "@type": "Offer",
            "price": "20",
            "priceCurrency": "USD",
            "url": "https://example.org/event/fair/",
            "availability": "https://schema.org/InStock",
            "validFrom": "2027-01-01T22:04:05-05:00",
        },
        "performer": {"@type": "Organization", "name": "Friends"},
    }


def test_a_bare_event_says_only_what_is_known():
    assert set(described(EventFactory())) == {
        "@context",
        "@type",
        "name",
        "url",
        "eventAttendanceMode",
        "eventStatus",
        "startDate",
        "endDate",
    }


def test_several_venues_and_organizers_are_lists():
    event = EventFactory(
        venues=[town_hall(), VenueFactory()], organizers=[friends(), OrganizerFactory()]
    )

    found = described(event)

    assert [place["@type"] for place in found["location"]] == ["Place", "Place"]
    assert [each["@type"] for each in found["organizer"]] == ["Organization", "Organization"]


@pytest.mark.parametrize(
    ("zone", "start"),
    [
        ("UTC", "2027-03-01T10:00:00+00:00"),
        ("UTC-5.5", "2027-03-01T10:00:00-05:30"),
        ("Asia/Kathmandu", "2027-03-01T10:00:00+05:45"),
    ],
)
def test_a_start_has_the_offset_of_its_zone(zone, start):
    assert described(EventFactory(timezone=zone))["startDate"] == start


def test_the_second_two_thirty_of_autumn_is_told_from_the_first():
    event = EventFactory(
        start_date=dt.datetime(2027, 10, 31, 2, 30),
        end_date=dt.datetime(2027, 10, 31, 2, 30, fold=1),
        timezone="Europe/Paris",
    )

    found = described(event)

    assert found["startDate"] == "2027-10-31T02:30:00+02:00"
    assert found["endDate"] == "2027-10-31T02:30:00+01:00"


def test_a_range_of_prices_is_an_aggregate():
    offer = offers("10-25")

    assert offer["@type"] == "AggregateOffer"
    assert (offer["lowPrice"], offer["highPrice"]) == ("10", "25")
    assert "price" not in offer


def test_a_free_event_offers_for_nothing():
    assert offers("0")["price"] == "0"


def test_a_price_in_words_is_described():
    offer = offers("Pay what you can")

    assert offer["description"] == "Pay what you can"
    assert "price" not in offer


def test_without_a_cost_nothing_is_offered():
    assert offers("") is None


def test_a_venue():
    found = representations.venue(town_hall(), URLS, full=True)["json_ld"]

    assert found == {"@context": "https://schema.org", **PLACE}


def test_an_organizer():
    found = representations.organizer(friends(), URLS, full=True)["json_ld"]

    assert found == {"@context": "https://schema.org", **ORGANIZATION}


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>One</p><p>two</p>", "One two"),
        ("One<br>two<br/>three", "One two three"),
        ("<ul><li>One</li><li>two</li></ul>", "One two"),
        ("<b>One</b>s &lt;two&gt; &amp;\n three", "Ones <two> & three"),
        ("", ""),
    ],
)
def test_text_of_html_is_one_line(html, text):
    assert text_of(html) == text
