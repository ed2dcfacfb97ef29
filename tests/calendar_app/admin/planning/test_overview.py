"""The calendar's part of the start page: what it counts, where that leads, and for whom."""

import datetime as dt

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from calendar_app.models import Status
from calendar_app.services import posts

from ...support.admin_users import as_role
from ...support.factories import EventFactory, UserFactory, VenueFactory, make_image

pytestmark = pytest.mark.django_db

WEDNESDAY = dt.datetime(2027, 3, 10, 12, tzinfo=dt.UTC)


@pytest.fixture(autouse=True)
def now(time_machine, media):
    time_machine.move_to(WEDNESDAY, tick=False)


@pytest.fixture
def user(user, client, now):
    """The session begins on that Wednesday."""
    client.force_login(user)
    return user


def at(title, day, hour=10, hours=2, **fields):
    start = dt.datetime(2027, 3, day, hour)
    fields = {"venues": [VenueFactory()], "image": make_image(), **fields}
    return EventFactory(
        title=title, start_date=start, end_date=start + dt.timedelta(hours=hours), **fields
    )


def overview(client):
    """Return the numbers of the page by name, its context and its text."""
    response = client.get(reverse("admin:app_list", args=["calendar_app"]))
    numbers = {each.name: each for each in response.context.get("numbers") or []}
    return numbers, response.context, response.content.decode()


def make_week(author=None):
    """Store events of which each number of the page counts others."""
    hall, attic = VenueFactory(name="Hall"), VenueFactory(name="Attic")
    at("Past", 1, venues=[], image=None)
    at("Monday", 8)
    at("Fair", 10, 18, venues=[hall])
    at("Rehearsal", 10, 19, venues=[hall, attic], status=Status.DRAFT, author=author)
    at("Reading", 10, 20, venues=[hall], status=Status.PENDING, author=author)
    at("After it", 10, 22, venues=[hall])
    at("Walk", 13, venues=[], image=None)
    at("Next week", 17, image=None)
    posts.trash(at("Dropped", 10, 18, venues=[hall], image=None))


def test_each_number_leads_to_the_events_that_it_counts(client, user):
    make_week()

    numbers, _, _ = overview(client)

    lists = {
        name: client.get(number.address).context["cl"].result_list
        for name, number in numbers.items()
    }
    assert {name: [str(event) for event in found] for name, found in lists.items()} == {
        "Today": ["Fair", "Rehearsal", "Reading", "After it"],
        "This week": ["Monday", "Fair", "Rehearsal", "Reading", "After it", "Walk"],
        "Drafts": ["Rehearsal"],
        "Pending review": ["Reading"],
        "Without a venue": ["Walk"],
        "Without an image": ["Walk", "Next week"],
        "Venue taken twice": ["Fair", "Rehearsal", "Reading"],
    }
    assert [each.value for each in numbers.values()] == [len(found) for found in lists.values()]


def test_the_sections_name_events(client, user):
    make_week()

    _, context, page = overview(client)

    assert [str(event) for event in context["soon"]] == [
        "Fair",
        "Rehearsal",
        "Reading",
        "After it",
        "Walk",
    ]
    assert [str(event) for event in context["waiting"]] == ["Reading", "Rehearsal"]
    assert "Today, 18:00–20:00" in page
    assert "Sat 13 Mar, 10:00–12:00" in page
    assert "Hall" in page


def test_an_event_within_a_longer_one_collides_with_it(client, user):
    hall = VenueFactory()
    at("Exhibition", 11, 8, hours=60, venues=[hall])
    at("Opening", 11, 9, hours=1, venues=[hall])
    at("Talk", 13, 9, hours=1, venues=[hall])
    at("Beside it", 13, 9, hours=1)

    assert [str(event) for event in overview(client)[1]["clashing"]] == [
        "Exhibition",
        "Opening",
        "Talk",
    ]


def test_a_venue_in_the_trash_is_none(client, user):
    hall = VenueFactory()
    at("Fair", 11, venues=[hall])
    at("Reading", 11, venues=[hall])
    posts.trash(hall)

    numbers, _, _ = overview(client)

    assert (numbers["Without a venue"].value, numbers["Venue taken twice"].value) == (2, 0)


@as_role("Author")
def test_an_author_sees_no_more_than_in_the_list(client, user):
    make_week(author=user)
    hall = VenueFactory()
    at("Mine", 12, venues=[hall], author=user, status=Status.DRAFT)
    at("Secret draft", 12, venues=[hall], author=UserFactory(), status=Status.DRAFT)
    at("Behind a password", 12, venues=[hall], author=UserFactory(), password="secret")

    numbers, context, page = overview(client)

    assert numbers["Drafts"].value == 2
    assert "Mine" not in [str(event) for event in context["clashing"]]
    assert "Secret draft" not in page
    assert "Behind a password" not in page


def test_who_may_not_see_events_is_shown_none(client):
    make_week()
    user = User.objects.create_user("clerk@example.org", is_staff=True)
    user.user_permissions.add(Permission.objects.get(codename="view_venue"))
    client.force_login(user)

    assert overview(client)[0] == {}
    assert "Rehearsal" not in overview(client)[2]


def test_titles_are_escaped(client, user):
    at("<script>alert(1)</script>", 10, status=Status.PENDING)

    assert "<script>alert" not in overview(client)[2]


def test_it_takes_as_many_queries_for_many_events_as_for_few(client, user):
    make_week()
    overview(client)
    with CaptureQueriesContext(connection) as few:
        overview(client)
    for number in range(3):
        make_week(author=UserFactory())
        at(f"Another {number}", 12, status=Status.PENDING, author=UserFactory())
    with CaptureQueriesContext(connection) as many:
        overview(client)

    assert len(few) == len(many) <= 20
