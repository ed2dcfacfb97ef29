"""Whatever the number of records, they are loaded in the same number of queries."""

import pytest
from django.contrib.auth.models import AnonymousUser

from calendar_app.api import representations
from calendar_app.api.representations import Urls
from calendar_app.models import Category, Event, Image, Organizer, Venue

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
PUBLIC = AnonymousUser()


def picture():
    return Image.objects.create(file="calendar/fair.png", width=4, height=3)


def full_event():
    return EventFactory(
        image=picture(),
        categories=[CategoryFactory(parent=CategoryFactory())],
        tags=[TagFactory(), TagFactory()],
        venues=[VenueFactory(image=picture()), VenueFactory()],
        organizers=[OrganizerFactory(image=picture()), OrganizerFactory()],
    )


@pytest.mark.parametrize("rows", [1, 3])
def test_events_take_six_queries(rows, django_assert_num_queries):
    ids = [full_event().pk for _ in range(rows)]

    with django_assert_num_queries(6):
        found = representations.fetch(Event, ids, PUBLIC)
        shown = [representations.event(event, URLS, full=True) for event in found]

    assert [len(event["venue"]) for event in shown] == [2] * rows
    assert [event["organizer"][0]["image"]["width"] for event in shown] == [4] * rows


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize(
    ("model", "factory", "represent"),
    [
        (Venue, VenueFactory, representations.venue),
        (Organizer, OrganizerFactory, representations.organizer),
    ],
)
def test_linked_records_take_two_queries(
    model, factory, represent, rows, django_assert_num_queries
):
    ids = [factory(image=picture()).pk for _ in range(rows)]

    with django_assert_num_queries(2):
        found = representations.fetch(model, ids, PUBLIC)
        shown = [represent(record, URLS, full=True) for record in found]

    assert [record["image"]["width"] for record in shown] == [4] * rows


@pytest.mark.parametrize("rows", [1, 3])
def test_categories_take_one_query(rows, django_assert_num_queries):
    parent = CategoryFactory()
    ids = [CategoryFactory(parent=parent).pk for _ in range(rows)]

    with django_assert_num_queries(1):
        found = representations.fetch(Category, ids, PUBLIC)
        shown = [representations.category(record, URLS) for record in found]

    assert [term["parent"] for term in shown] == [parent.pk] * rows


def test_nothing_takes_no_query(django_assert_num_queries):
    with django_assert_num_queries(0):
        assert representations.fetch(Event, [], PUBLIC) == []
        assert representations.load([], PUBLIC) == []


def test_records_come_in_the_order_of_their_ids():
    first, second, third = (EventFactory() for _ in range(3))
    ids = [third.pk, first.pk, 0, second.pk]

    assert representations.fetch(Event, ids, PUBLIC) == [third, first, second]


def test_records_that_were_read_before_are_loaded_as_well():
    event = full_event()

    [found] = representations.load(Event.objects.all(), PUBLIC)

    assert representations.event(found, URLS) == representations.event(
        representations.fetch(Event, [event.pk], PUBLIC)[0], URLS
    )


def test_a_venue_that_two_events_share_stands_in_both():
    shared, other = VenueFactory(), VenueFactory()
    first, second = EventFactory(venues=[other, shared]), EventFactory(venues=[shared])

    found = representations.fetch(Event, [first.pk, second.pk], PUBLIC)

    assert [event.linked.venues for event in found] == [[other, shared], [shared]]


def test_terms_stand_in_the_order_of_their_names():
    names = ["b", "a", "c"]
    event = EventFactory(
        categories=[CategoryFactory(name=name) for name in names],
        tags=[TagFactory(name=name) for name in names],
    )

    [found] = representations.fetch(Event, [event.pk], PUBLIC)

    assert [term.name for term in found.linked.categories] == ["a", "b", "c"]
    assert [term.name for term in found.linked.tags] == ["a", "b", "c"]


def test_a_trashed_venue_is_shown_to_nobody():
    event = EventFactory(venues=[VenueFactory(status="trash")])

    [found] = representations.fetch(Event, [event.pk], UserFactory(role="Editor"))

    assert found.linked.venues == []
