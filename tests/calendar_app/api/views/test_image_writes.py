"""How the image of an event, a venue or an organizer is written."""

import pytest

from calendar_app.models import Event, Venue

from ...support.factories import EventFactory, OrganizerFactory, VenueFactory, make_image
from ...support.writing import change, create, create_event, refused

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("media")]

URL = "https://pictures.example/cat.png"
FACTORIES = [EventFactory, VenueFactory, OrganizerFactory]


@pytest.fixture(autouse=True)
def _public(names):
    names.add("pictures.example", "93.184.215.14")
    names.add("office.example", "10.0.0.7")
    names.add("both.example", "93.184.215.14 127.0.0.1")


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize(
    "form",
    [
        lambda image: image.pk,
        lambda image: str(image.pk),
        lambda image: {"id": image.pk},
        lambda image: {"id": str(image.pk), "url": "http://127.0.0.1/x.png", "sizes": {}},
        lambda image: f"http://testserver{image.file.url}",
        lambda image: {"url": f"http://testserver{image.file.url}"},
    ],
)
def test_a_stored_image_comes_in_every_form(factory, form):
    record, image = factory(), make_image()

    answer = change(record, {"image": form(image)})

    assert answer.status_code == 200
    assert answer.json()["image"]["id"] == image.pk


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize(
    "nothing", [None, "", [], False, "false", "False", 0, "0", {}, {"id": 0, "url": ""}]
)
def test_an_image_is_cleared(factory, nothing):
    record = factory(image=make_image())

    answer = change(record, {"image": nothing})

    record.refresh_from_db()
    assert (answer.status_code, record.image) == (200, None)


@pytest.mark.parametrize("form", [URL, {"url": URL}])
def test_a_url_is_fetched_later(form, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks() as callbacks:
        answer = create_event(image=form)

    event = Event.objects.get()
    assert (answer.status_code, answer.json()["image"]) == (201, False)
    assert (event.image_url, len(callbacks)) == (URL, 1)


def test_a_url_that_was_fetched_before_is_there_at_once():
    image = make_image(source_url=URL)

    assert create_event(image=URL).json()["image"]["id"] == image.pk


def test_an_image_stays_until_the_next_one_is_fetched():
    image = make_image()
    venue = VenueFactory(image=image)

    answer = change(venue, {"image": URL})

    venue.refresh_from_db()
    assert answer.json()["image"]["id"] == image.pk
    assert venue.image_url == URL


@pytest.mark.parametrize("nothing", [None, "", 0])
def test_a_scheduled_image_download_is_canceled(nothing):
    venue = VenueFactory(image_url=URL)

    change(venue, {"image": nothing})

    venue.refresh_from_db()
    assert venue.image_url == ""


@pytest.mark.parametrize(
    "host", ["office.example", "both.example", "127.0.0.1", "[::1]", "10.1.2.3"]
)
def test_a_private_host_is_refused_at_once(host):
    answer = create("venues", {"venue": "Hall", "image": f"http://{host}/cat.png"})

    assert list(refused(answer)) == ["image"]
    assert not Venue.objects.exists()


def test_an_inline_venue_may_have_an_image():
    image = make_image()

    answer = create_event(venue=[{"venue": "Hall", "image": image.pk}])

    assert answer.json()["venue"]["image"]["id"] == image.pk


def test_a_known_venue_gets_the_image_that_it_lacks():
    first, second = make_image(), make_image()
    venue = VenueFactory(name="Hall")

    for image in (first, second):
        create("venues", {"venue": "Hall", "image": image.pk})

    venue.refresh_from_db()
    assert venue.image == first
