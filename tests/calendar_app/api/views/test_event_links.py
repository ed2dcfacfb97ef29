"""How an event's venues, organizers, categories and tags are written."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calendar_app.models import Category, Event, Organizer, Tag, Venue

from ...support.api_client import P, client_of
from ...support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)
from ...support.writing import change_event, create_event, refused

pytestmark = pytest.mark.django_db


@pytest.fixture
def venue():
    return VenueFactory(name="Hall")


def names(records, key):
    records = records if isinstance(records, list) else [records]
    return [record[key] for record in records]


@pytest.mark.parametrize(
    ("sent", "linked"),
    [
        (lambda pk: pk, ["Hall"]),
        (lambda pk: str(pk), ["Hall"]),
        (lambda pk: [pk], ["Hall"]),
        (lambda pk: [str(pk), pk], ["Hall"]),
        (lambda pk: f" {pk},,{pk} ", ["Hall"]),
        (lambda pk: {"id": pk}, ["Hall"]),
        (lambda pk: {"id": str(pk), "venue": "Ignored", "url": "x"}, ["Hall"]),
        (lambda pk: {"venue": "hall"}, ["Hall"]),
        (lambda pk: {"venue": "New"}, ["New"]),
        (
            lambda pk: [{"venue": "New"}, pk, {"id": pk}, {"venue": "Other"}],
            ["New", "Hall", "Other"],
        ),
        (lambda pk: [{"venue": "New"}, {"venue": "NEW", "city": "Rome"}], ["New"]),
        (lambda pk: {"venue": "Zero", "id": 0}, ["Zero"]),
    ],
)
def test_venues_come_in_every_form(venue, sent, linked):
    answer = create_event(venue=sent(venue.pk))

    assert answer.status_code == 201
    assert names(answer.json()["venue"], "venue") == linked


def test_the_order_of_links_is_kept_and_changed():
    first, second = OrganizerFactory(name="A"), OrganizerFactory(name="B")
    event = EventFactory(organizers=[first, second])

    answer = change_event(event, organizer=[second.pk, first.pk])

    assert names(answer.json()["organizer"], "organizer") == ["B", "A"]


@pytest.mark.parametrize("value", ["Hall", 1.5, True, [[1]], ["x"], {"id": "x"}, [{"id": [1]}], -1])
@pytest.mark.parametrize("name", ["venue", "organizer"])
def test_what_names_no_record_is_refused(name, value):
    assert list(refused(create_event(**{name: value}))) == [name]


@pytest.mark.parametrize("name", ["venue", "organizer", "categories", "tags"])
def test_an_unknown_id_is_refused(name):
    assert "999" in refused(create_event(**{name: [999]}))[name]


@pytest.mark.parametrize("name", ["venue", "organizer", "categories", "tags"])
@pytest.mark.parametrize("values", [list(range(10_000)), ",".join(map(str, range(10_000)))])
def test_too_many_ids_are_refused(name, values):
    assert refused(create_event(**{name: values})) == {
        name: f"{name} accepts at most 100 values, not 10000."
    }


@pytest.mark.parametrize("status", ["trash", "draft"])
def test_what_the_caller_cannot_see_is_unknown(status):
    venue = VenueFactory(status=status, author=UserFactory())

    assert list(refused(create_event(role="Author", venue=venue.pk))) == ["venue"]


def test_what_is_wrong_inside_of_an_object_is_named_by_its_place():
    found = refused(create_event(venue=[{"venue": "A"}, {"venue": "B", "website": "x"}]))

    assert list(found) == ["venue[1][website]"]


def test_an_object_without_a_name_lacks_it():
    answer = create_event(organizer={"email": "a@example.org"})

    assert refused(answer, code="rest_missing_callback_param") == ["organizer[0][organizer]"]


def test_what_an_object_names_and_is_not_there_is_named_by_its_place():
    found = refused(create_event(venue=[{"venue": "A"}, {"venue": "B", "image": 999}]))

    assert list(found) == ["venue[1][image]"]
    assert not Venue.objects.exists()


def test_a_known_venue_is_completed():
    venue = VenueFactory(name="Café Élan", city="Rome", author=UserFactory())

    create_event(
        venue={
            "venue": "CAFÉ ÉLAN",
            "city": "Oslo",
            "address": "Street 1",
            "geo_lat": 1,
            "geo_lng": 2,
        }
    )

    venue.refresh_from_db()
    assert (venue.name, venue.city, venue.address) == ("Café Élan", "Rome", "Street 1")
    assert (venue.geo_lat, venue.geo_lng) == (1, 2)


def test_a_known_venue_of_another_is_linked_but_not_completed_by_an_author():
    venue = VenueFactory(name="Hall", author=UserFactory())

    answer = create_event(role="Author", venue={"venue": "hall", "address": "Street 1"})

    venue.refresh_from_db()
    assert (answer.json()["venue"]["id"], venue.address) == (venue.pk, "")


@pytest.mark.parametrize(
    ("role", "status"), [("Editor", "publish"), ("Author", "publish"), ("Contributor", "draft")]
)
def test_a_new_venue_belongs_to_the_caller(role, status):
    user = UserFactory(role=role)

    create_event(client_of(user), venue={"venue": "Hall", "city": "Rome", "show_map": "false"})

    venue = Venue.objects.get()
    assert (venue.author, venue.status, venue.slug) == (user, status, "hall")
    assert (venue.city, venue.show_map) == ("Rome", False)


def test_a_contributor_asking_for_a_published_venue_gets_a_pending_one():
    create_event(role="Contributor", organizer={"organizer": "Ann", "status": "publish"})

    assert Organizer.objects.get().status == "pending"


def test_what_the_caller_cannot_see_stays_linked():
    hidden = VenueFactory(status="draft", author=UserFactory())
    shown, new = VenueFactory(), VenueFactory()
    author = UserFactory(role="Author")
    event = EventFactory(author=author, venues=[hidden, shown])

    answer = change_event(event, client_of(author), venue=new.pk)

    assert answer.json()["venue"]["id"] == new.pk
    assert set(event.venues.all()) == {hidden, new}


@pytest.mark.parametrize(
    "sent",
    [
        lambda pk: pk,
        lambda pk: str(pk),
        lambda pk: [pk],
        lambda pk: "music",
        lambda pk: ["MUSIC", pk],
        lambda pk: f"Music, {pk}",
        lambda pk: {"id": pk, "name": "x"},
        lambda pk: [{"name": "Music"}],
        lambda pk: "live-music",
    ],
)
@pytest.mark.parametrize("name", ["categories", "tags"])
def test_terms_come_in_every_form(name, sent):
    factory = {"categories": CategoryFactory, "tags": TagFactory}[name]
    term = factory(name="Music", slug="live-music")

    answer = create_event(**{name: sent(term.pk)})

    assert names(answer.json()[name], "id") == [term.pk]


@pytest.mark.parametrize("role", ["Editor", "Author"])
def test_unknown_names_are_created(role):
    create_event(role=role, categories="Jazz, Rock,jazz", tags=["Free", "Food, drink"])

    assert sorted(Category.objects.values_list("name", "count")) == [("Jazz", 1), ("Rock", 1)]
    assert sorted(Tag.objects.values_list("name", flat=True)) == ["Food, drink", "Free"]


def test_a_name_of_digits_is_given_as_an_object():
    assert names(create_event(tags=[{"name": "2027"}]).json()["tags"], "name") == ["2027"]


def test_a_contributor_names_known_terms_only():
    TagFactory(name="Free")
    client = client_of(role="Contributor")

    known = create_event(client, tags="free")
    unknown = create_event(client, tags="free,dear")

    assert known.status_code == 201
    refused(unknown, 403, "rest_cannot_create_term")
    assert Event.objects.count() == Tag.objects.count() == 1


@pytest.mark.parametrize(
    "value",
    ["x" * 201, ["a\0b"], True, [{"name": ""}], {}, ["<b></b>"], {"id": "x"}, [["a"]], -5, [1.5]],
)
def test_a_name_that_no_term_can_have_is_refused(value):
    assert list(refused(create_event(tags=value))) == ["tags"]
    assert not Tag.objects.exists()


def test_a_term_without_id_and_name_is_told_what_it_needs():
    assert refused(create_event(tags=[{"slug": "jazz"}])) == {
        "tags": "tags must be an ID, a name, or an object with an id or a name, not "
        "{'slug': 'jazz'}."
    }


def test_terms_of_a_category_count_only_published_events():
    create_event(role="Contributor", categories=CategoryFactory(name="Jazz").pk)

    assert Category.objects.get().count == 0


def test_the_number_of_queries_does_not_grow_with_the_links():
    client, event = client_of(role="Editor"), EventFactory()

    def queries(number):
        fields = {
            "venue": [VenueFactory().pk for _ in range(number)],
            "organizer": [OrganizerFactory().pk for _ in range(number)],
            "categories": [CategoryFactory().pk for _ in range(number)],
            "tags": [TagFactory().pk for _ in range(number)],
        }
        with CaptureQueriesContext(connection) as captured:
            client.patch(f"{P}/events/{event.pk}", fields)
        return len(captured)

    queries(1)
    assert queries(2) == queries(6)
