import pytest

from calendar_app.models import Venue
from calendar_app.services import posts

from ...support.api_client import P, client_of
from ...support.factories import EventFactory, UserFactory, VenueFactory
from ...support.writing import change, create, refused

pytestmark = pytest.mark.django_db

FULL = {
    "venue": "Hall",
    "description": "<p>Old</p>",
    "address": "Street 1",
    "city": "Seville",
    "country": "Spain",
    "province": "Sevilla",
    "state": "AN",
    "zip": "41001",
    "phone": "+34 1",
    "website": "https://example.org/",
    "stateprovince": "Andalucía",
    "geo_lat": 37.39,
    "geo_lng": -5.99,
    "show_map": False,
    "show_map_link": False,
}
TEXTS = [name for name, value in FULL.items() if isinstance(value, str) and name != "venue"]


def test_a_venue_is_what_was_written():
    answer = create("venues", FULL)

    made = answer.json()
    assert answer.status_code == 201
    assert {name: made[name] for name in FULL} == FULL
    assert (made["slug"], made["status"]) == ("hall", "publish")


def test_a_venue_needs_a_name():
    assert refused(create("venues", {}), code="rest_missing_callback_param") == ["venue"]
    assert refused(create("venues", {"venue": ""})) == {"venue": "venue cannot be empty."}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("nothing", [None, "", []])
def test_a_text_is_cleared(name, nothing):
    venue = Venue.objects.get(pk=create("venues", FULL).json()["id"])

    answer = change(venue, {name: nothing})

    venue.refresh_from_db()
    assert (answer.status_code, getattr(venue, name)) == (200, "")


def test_a_position_is_moved_and_cleared():
    venue = VenueFactory(geo_lat=1, geo_lng=2)

    moved = change(venue, {"geo_lat": "-3.5"}).json()
    cleared = change(venue, {"geo_lat": "", "geo_lng": None}).json()

    assert (moved["geo_lat"], moved["geo_lng"]) == (-3.5, 2)
    assert "geo_lat" not in cleared
    assert "geo_lng" not in cleared


def test_a_cleared_map_is_shown():
    venue = VenueFactory(show_map=False, show_map_link=False)

    shown = change(venue, {"show_map": None, "show_map_link": ""}).json()

    assert (shown["show_map"], shown["show_map_link"]) == (True, True)


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"geo_lat": 1}, "geo_lng"),
        ({"geo_lng": 1}, "geo_lat"),
        ({"geo_lat": 91, "geo_lng": 1}, "geo_lat"),
        ({"geo_lat": 1, "geo_lng": -180.5}, "geo_lng"),
        ({"geo_lat": "nan", "geo_lng": 1}, "geo_lat"),
        ({"geo_lat": "1e999", "geo_lng": 1}, "geo_lat"),
        ({"geo_lat": "north", "geo_lng": 1}, "geo_lat"),
        ({"geo_lat": True, "geo_lng": 1}, "geo_lat"),
        ({"geo_lat": "9" * 5000, "geo_lng": 1}, "geo_lat"),
        ({"website": "example.org"}, "website"),
        ({"website": "https://example.org/" + "x" * 2000}, "website"),
        ({"city": "x" * 256}, "city"),
        ({"zip": "x" * 65}, "zip"),
        ({"address": "a\0b"}, "address"),
        ({"phone": ["1"]}, "phone"),
        ({"show_map": "perhaps"}, "show_map"),
        ({"venue": "x" * 256}, "venue"),
        ({"status": "open"}, "status"),
        ({"image": 999}, "image"),
        ({"date": "2027"}, "date"),
    ],
)
def test_bad_input_is_refused(fields, named):
    assert list(refused(create("venues", {"venue": "Hall", **fields}))) == [named]


def test_a_derived_province_goes_on_following_the_country():
    venue = VenueFactory(state="NY", province="Ontario")
    shown = change(venue, {}).json()

    written = change(venue, shown | {"country": "Canada"}).json()

    assert (shown["stateprovince"], written["stateprovince"]) == ("NY", "Ontario")


def test_a_new_venue_of_a_known_name_completes_it():
    venue = VenueFactory(name="Hall", city="Rome", description="")

    answer = create("venues", FULL | {"venue": "HALL", "status": "draft"})

    venue.refresh_from_db()
    assert (answer.status_code, answer.json()["id"]) == (201, venue.pk)
    assert (venue.name, venue.city, venue.zip, venue.status) == ("Hall", "Rome", "41001", "publish")


def test_a_new_venue_of_a_known_name_leaves_that_of_another():
    venue = VenueFactory(name="Hall", author=UserFactory())

    answer = create("venues", FULL, role="Author")

    venue.refresh_from_db()
    assert (answer.status_code, answer.json()["id"], venue.city) == (201, venue.pk, "")


def test_a_new_venue_of_a_hidden_name_is_another_one():
    hidden = VenueFactory(name="Hall", status="draft", author=UserFactory())

    answer = create("venues", {"venue": "Hall"}, role="Author")

    assert answer.json()["id"] != hidden.pk
    assert answer.json()["slug"] == "hall-2"


def test_bad_input_for_a_known_name_is_refused():
    VenueFactory(name="Hall")

    assert list(refused(create("venues", {"venue": "hall", "geo_lat": 5}))) == ["geo_lng"]


def test_a_venue_is_renamed_to_the_name_of_another():
    VenueFactory(name="Hall")
    venue = VenueFactory(name="Barn")

    answer = change(venue, {"venue": "Hall"})

    assert (answer.json()["id"], answer.json()["slug"]) == (venue.pk, "barn")


def test_a_trashed_venue_is_restored_by_a_status():
    venue = VenueFactory(name="Hall")
    event = EventFactory(venues=[venue])
    posts.trash(venue)
    VenueFactory(name="Hall")

    answer = change(venue, {"status": "publish"})

    assert (answer.status_code, answer.json()["slug"]) == (200, "hall-2")
    assert not event.venues.exists()


def test_a_status_of_trash_unlinks():
    venue = VenueFactory()
    event = EventFactory(venues=[venue])

    assert change(venue, {"status": "trash"}).json()["status"] == "trash"
    assert not event.venues.exists()


def test_writes_by_slug_and_as_a_form():
    venue = VenueFactory(name="Hall")
    client = client_of(role="Editor")

    answer = client.post(
        f"{P}/venues/by-slug/hall", {"city": "Rome", "show_map": "false"}, format="multipart"
    )

    venue.refresh_from_db()
    assert (answer.status_code, venue.city, venue.show_map) == (200, "Rome", False)
