"""What existing clients of this interface do, each habit once."""

import datetime as dt
import re

import pytest
from rest_framework.test import APIClient

from ..support.api_client import ALL, P, client_of, get
from ..support.factories import CategoryFactory, EventFactory, UserFactory, VenueFactory, make_image
from ..support.writing import NEW

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("per_page", [100, 999])
def test_a_large_per_page_is_clamped(per_page):
    for _ in range(51):
        EventFactory()

    answer = get("/events", {"per_page": per_page, **ALL})

    assert len(answer.json()["events"]) == 50
    assert answer["X-TEC-TotalPages"] == "2"


def test_a_stray_ampersand_does_no_harm():
    unused = CategoryFactory()

    answer = client_of().get(f"{P}/categories?&hide_empty=0")

    assert [term["id"] for term in answer.json()["categories"]] == [unused.pk]


def test_a_tracking_parameter_is_ignored():
    EventFactory()

    answer = get("/events", {"fbclid": "IwAR0", **ALL})

    assert answer.status_code == 200
    assert answer.json()["total"] == 1


def test_the_widest_window_finds_every_event():
    for year in (2001, 2027, 9998):
        EventFactory(start_date=dt.datetime(year, 1, 1))

    assert get("/events", ALL).json()["total"] == 3


def test_next_rest_url_is_followed_until_it_is_absent():
    made = {EventFactory().pk for _ in range(5)}
    found, address = [], f"{P}/events?per_page=2&start_date=2027-01-01"

    while address:
        page = client_of().get(address).json()
        found += [event["id"] for event in page["events"]]
        address = page.get("next_rest_url")

    assert set(found) == made
    assert len(found) == 5


def test_ids_come_as_strings(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    editor = UserFactory(role="Editor")
    venue, image = VenueFactory(), make_image(editor)
    fields = {**NEW, "venue": str(venue.pk), "image": str(image.pk)}

    made = client_of(editor).post(f"{P}/events", fields).json()

    assert (made["venue"]["id"], made["image"]["id"]) == (venue.pk, image.pk)


def test_an_id_in_a_patch_body_is_ignored():
    event, other = EventFactory(), EventFactory()

    answer = client_of(role="Editor").patch(
        f"{P}/events/{event.pk}", {"id": other.pk, "title": "X"}
    )

    assert (answer.json()["id"], answer.json()["title"]) == (event.pk, "X")


def test_unknown_keys_are_ignored():
    extra = {"venue_id": 7, "organizers": [8], "featured_image": "x"}

    answer = client_of(role="Editor").post(f"{P}/events", {**NEW, **extra})

    assert answer.status_code == 201
    assert (answer.json()["venue"], answer.json()["organizer"]) == ([], [])


def test_an_event_is_updated_by_a_multipart_post():
    event = EventFactory()

    answer = client_of(role="Editor").post(
        f"{P}/events/{event.pk}", {"title": "New", "categories[]": ["Music"]}, format="multipart"
    )

    assert answer.status_code == 200
    assert answer.json()["title"] == "New"
    assert [term["name"] for term in answer.json()["categories"]] == ["Music"]


def test_a_post_without_credentials_is_401():
    answer = client_of().post(f"{P}/events", NEW)

    assert answer.status_code == 401
    assert answer.json()["code"] == "rest_forbidden"
    assert answer.json()["data"] == {"status": 401}


def test_image_is_false_or_an_object_with_a_url(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    bare, pictured = EventFactory(), EventFactory(image=make_image())

    images = [get(f"/events/{event.pk}").json()["image"] for event in (bare, pictured)]

    assert images[0] is False
    assert images[1]["url"].startswith("http")


def test_hours_are_padded_strings():
    event = EventFactory(start_date=dt.datetime(2027, 3, 1, 9, 5))

    details = get(f"/events/{event.pk}").json()["start_date_details"]

    assert (details["hour"], details["minutes"], details["seconds"]) == ("09", "05", "00")


def test_utc_start_date_with_a_z_is_the_instant():
    event = EventFactory(start_date=dt.datetime(2027, 7, 1, 9), timezone="Europe/Paris")

    text = get(f"/events/{event.pk}").json()["utc_start_date"]

    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", text)
    assert dt.datetime.fromisoformat(text + "Z") == dt.datetime(2027, 7, 1, 7, tzinfo=dt.UTC)


def test_delete_with_force_still_moves_to_the_trash():
    event = EventFactory()

    answer = client_of(role="Editor").delete(f"{P}/events/{event.pk}?force=true")
    event.refresh_from_db()

    assert (answer.status_code, answer.json()["status"]) == (200, "trash")
    assert event.status == "trash"


def test_basic_credentials_work_as_sent_by_http_libraries():
    user = UserFactory(role="Editor", username="ed@example.org", password="secret")
    client = APIClient()
    client.credentials(HTTP_AUTHORIZATION="Basic ZWRAZXhhbXBsZS5vcmc6c2VjcmV0")

    answer = client.post(f"{P}/events", NEW, format="json")

    assert answer.status_code == 201
    assert answer.json()["author"] == str(user.pk)
