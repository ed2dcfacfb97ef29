"""Venues and organizers as the API shows them."""

import pytest
import time_machine

from calendar_app.api import representations
from calendar_app.api.representations import Urls
from calendar_app.models import Image

from ...support.factories import OrganizerFactory, UserFactory, VenueFactory

URLS = Urls("https://example.org")

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("at_noon")]
DATES = {
    "date": "2027-01-02 12:00:00",
    "date_utc": "2027-01-02 12:00:00",
    "modified": "2027-01-02 12:00:00",
    "modified_utc": "2027-01-02 12:00:00",
}


@pytest.fixture
def at_noon(settings):
    settings.CALENDAR_TIME_ZONE = "UTC"
    with time_machine.travel("2027-01-02 12:00:00+00:00", tick=False):
        yield


@pytest.fixture
def picture():
    return Image.objects.create(file="calendar/hall.png", width=40, height=30, filesize=99)


# Long, as it gives a value to each field and names each key of the answer.
def test_a_venue_with_everything(picture):
    author = UserFactory()
    venue = VenueFactory(
        name="Town Hall",
        author=author,
        status="draft",
        description="<p>Old.</p>",
        excerpt="Old.",
        image=picture,
        address="1 Main Street",
        city="Springfield",
        country="United States",
        province="Ignored",
        state="Oregon",
        zip="97477",
        phone="+1 541 555 0100",
        website="https://hall.example/",
        geo_lat=44.05,
        geo_lng=-123.02,
        show_map=False,
        show_map_link=False,
        global_id_lineage=["elsewhere.example?id=7"],
    )
    expected = {
        "id": venue.pk,
        "author": str(author.pk),
        "status": "draft",
        **DATES,
        "url": "https://example.org/venue/town-hall/",
        "venue": "Town Hall",
        "description": "<p>Old.</p>",
        "excerpt": "Old.",
        "slug": "town-hall",
        "image": representations.image(picture, URLS),
        "address": "1 Main Street",
        "city": "Springfield",
        "country": "United States",
        "province": "Ignored",
        "state": "Oregon",
        "zip": "97477",
        "phone": "+1 541 555 0100",
        "website": "https://hall.example/",
        "stateprovince": "Oregon",
        "geo_lat": 44.05,
        "geo_lng": -123.02,
        "show_map": False,
        "show_map_link": False,
        "global_id": f"example.org?id={venue.pk}",
        "global_id_lineage": ["elsewhere.example?id=7", f"example.org?id={venue.pk}"],
    }

    assert [*representations.venue(venue, URLS).items()] == [*expected.items()]


def test_an_empty_venue_leaves_empty_values_out():
    venue = VenueFactory(name="Barn")
    expected = {
        "id": venue.pk,
        "author": "0",
        "status": "publish",
        **DATES,
        "url": "https://example.org/venue/barn/",
        "venue": "Barn",
        "slug": "barn",
        "show_map": True,
        "show_map_link": True,
        "global_id": f"example.org?id={venue.pk}",
        "global_id_lineage": [f"example.org?id={venue.pk}"],
    }

    assert [*representations.venue(venue, URLS).items()] == [*expected.items()]


def test_a_venue_at_null_island_is_located():
    found = representations.venue(VenueFactory(geo_lat=0.0, geo_lng=0.0), URLS)

    assert (found["geo_lat"], found["geo_lng"]) == (0.0, 0.0)


@pytest.mark.parametrize(
    ("country", "given", "expected"),
    [
        ("", "", "Oregon"),
        ("United States", "", "Oregon"),
        ("Canada", "", "Ontario"),
        ("Canada", "Given", "Given"),
    ],
)
def test_stateprovince_follows_the_country(country, given, expected):
    venue = VenueFactory(country=country, state="Oregon", province="Ontario", stateprovince=given)

    assert representations.venue(venue, URLS)["stateprovince"] == expected


@pytest.mark.parametrize(
    ("country", "named"), [("", "province"), ("USA", "province"), ("Canada", "state")]
)
def test_stateprovince_falls_back_to_the_other_one(country, named):
    venue = VenueFactory(country=country, **{named: "Ontario"})

    assert representations.venue(venue, URLS)["stateprovince"] == "Ontario"


def test_a_venues_json_ld_stands_before_the_maps():
    keys = list(representations.venue(VenueFactory(phone="1"), URLS, full=True))

    assert keys[-6:] == [
        "phone",
        "json_ld",
        "show_map",
        "show_map_link",
        "global_id",
        "global_id_lineage",
    ]


def test_an_organizer_with_everything(picture):
    author = UserFactory()
    organizer = OrganizerFactory(
        name="Friends",
        author=author,
        description="<p>All.</p>",
        excerpt="All.",
        image=picture,
        phone="+33 1 23 45 67 89",
        website="https://friends.example/",
        email="friends@example.org",
        global_id_lineage=["elsewhere.example?id=7"],
    )
    expected = {
        "id": organizer.pk,
        "author": str(author.pk),
        "status": "publish",
        **DATES,
        "url": "https://example.org/organizer/friends/",
        "organizer": "Friends",
        "description": "<p>All.</p>",
        "excerpt": "All.",
        "slug": "friends",
        "image": representations.image(picture, URLS),
        "phone": "+33 1 23 45 67 89",
        "website": "https://friends.example/",
        "email": "friends@example.org",
        "global_id": f"example.org?id={organizer.pk}",
        "global_id_lineage": ["elsewhere.example?id=7", f"example.org?id={organizer.pk}"],
    }

    assert [*representations.organizer(organizer, URLS).items()] == [*expected.items()]


def test_an_empty_organizer_leaves_empty_values_out():
    organizer = OrganizerFactory(name="Nobody")
    expected = {
        "id": organizer.pk,
        "author": "0",
        "status": "publish",
        **DATES,
        "url": "https://example.org/organizer/nobody/",
        "organizer": "Nobody",
        "slug": "nobody",
        "global_id": f"example.org?id={organizer.pk}",
        "global_id_lineage": [f"example.org?id={organizer.pk}"],
    }

    assert [*representations.organizer(organizer, URLS).items()] == [*expected.items()]


def test_an_organizers_json_ld_stands_before_the_global_id():
    keys = list(representations.organizer(OrganizerFactory(email="a@b.example"), URLS, full=True))

    assert keys[-4:] == ["email", "json_ld", "global_id", "global_id_lineage"]
