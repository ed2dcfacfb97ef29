"""The admin's lists: what they hold, find and filter, and that they stay quick."""

import datetime as dt

import pytest
from django.urls import reverse

from calendar_app.models import Category, Event, Organizer, Status, Tag, Venue
from calendar_app.services import posts

from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    UserFactory,
    VenueFactory,
)

pytestmark = pytest.mark.django_db


def full_event():
    """Return an event that has one of everything."""
    return EventFactory(
        author=UserFactory(role="Author"),
        venues=[VenueFactory()],
        organizers=[OrganizerFactory()],
        categories=[CategoryFactory(parent=CategoryFactory())],
        tags=[TagFactory()],
    )


MAKERS = {
    Event: full_event,
    Venue: VenueFactory,
    Organizer: OrganizerFactory,
    Category: lambda: CategoryFactory(parent=CategoryFactory()),
    Tag: TagFactory,
}


def list_url(model):
    return reverse(f"admin:calendar_app_{model._meta.model_name}_changelist")


def shown(client, model, **query):
    """Return the names that the list of model shows."""
    response = client.get(list_url(model), query)
    assert response.status_code == 200, response.headers
    return [str(record) for record in response.context["cl"].result_list]


@pytest.fixture
def editor(client):
    user = UserFactory(role="Editor", is_staff=True)
    client.force_login(user)
    return user


@pytest.mark.parametrize("model", MAKERS)
def test_a_list_takes_as_many_queries_for_three_as_for_one(
    client, editor, model, django_assert_num_queries, django_assert_max_num_queries
):
    MAKERS[model]()
    client.get(list_url(model))
    with django_assert_max_num_queries(25) as captured:
        client.get(list_url(model))
    for _ in range(2):
        MAKERS[model]()

    with django_assert_num_queries(len(captured)):
        response = client.get(list_url(model))

    assert response.context["cl"].result_count >= 3


def test_the_trash_is_hidden_until_it_is_asked_for(client, editor):
    EventFactory(title="Kept")
    posts.trash(EventFactory(title="Thrown away"))

    assert shown(client, Event) == ["Kept"]
    assert shown(client, Event, status="trash") == ["Thrown away"]
    assert shown(client, Event, status="draft") == []


@pytest.mark.parametrize("words", ["jazz", "night jazz", "saxophone"])
def test_events_are_found_by_words_of_title_and_description(client, editor, words):
    EventFactory(title="Jazz night", description="<p>Saxophone and bass</p>")
    EventFactory(title="Opera")

    assert shown(client, Event, q=words) == ["Jazz night"]


def test_a_category_finds_what_is_in_those_below_it(client, editor):
    music = CategoryFactory(name="Music")
    jazz = CategoryFactory(name="Jazz", parent=music)
    EventFactory(title="Concert", categories=[music, jazz])
    EventFactory(title="Lecture", categories=[CategoryFactory()])

    assert shown(client, Event, categories__id__exact=music.pk) == ["Concert"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("0", []), ("x", ["Concert"]), ("9" * 30, ["Concert"]), ("²", ["Concert"])],
)
def test_an_impossible_category_is_no_choice(client, editor, value, expected):
    EventFactory(title="Concert")

    assert shown(client, Event, categories__id__exact=value) == expected


@pytest.mark.parametrize("value", ["x", "9" * 30])
def test_an_impossible_parent_is_no_choice(client, editor, value):
    CategoryFactory(name="Music")

    assert shown(client, Category, parent__id__exact=value) == ["Music"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"start_utc_from": "2027-03-02"}, ["Third", "Second"]),
        ({"start_utc_to": "2027-03-02"}, ["Second", "First"]),
        ({"start_utc_from": "2027-03-02", "start_utc_to": "2027-03-02"}, ["Second"]),
        ({"start_utc_from": "nonsense"}, ["Third", "Second", "First"]),
        ({"start_utc_to": "9999-12-31"}, ["Third", "Second", "First"]),
    ],
)
def test_a_range_of_days_includes_both(client, editor, settings, query, expected):
    settings.CALENDAR_TIME_ZONE = "Asia/Tokyo"
    for day, title in enumerate(["First", "Second", "Third"], start=1):
        EventFactory(
            title=title, start_date=dt.datetime(2027, 3, day, 0, 30), timezone="Asia/Tokyo"
        )

    assert shown(client, Event, **query) == expected


def test_the_months_lead_into_the_list(client, editor):
    EventFactory(title="March")
    EventFactory(title="April", start_date=dt.datetime(2027, 4, 1, 10))

    response = client.get(list_url(Event), {"start_utc__year": 2027, "start_utc__month": 4})

    assert [str(event) for event in response.context["cl"].result_list] == ["April"]


@pytest.mark.parametrize(
    ("moment", "zone", "site_zone"),
    [
        (dt.datetime(1, 1, 1, 0, 5), "Asia/Tokyo", "America/New_York"),
        (dt.datetime(9999, 12, 31, 23, 50), "America/New_York", "Asia/Tokyo"),
    ],
)
def test_events_at_the_edges_of_time_are_listed(client, editor, settings, moment, zone, site_zone):
    settings.TIME_ZONE = site_zone
    EventFactory(title="Edge", start_date=moment, end_date=moment, timezone=zone)

    assert shown(client, Event) == ["Edge"]


def test_an_author_sees_what_the_api_shows_and_their_own_trash(client):
    author = UserFactory(role="Author", is_staff=True)
    client.force_login(author)
    EventFactory(title="Public")
    EventFactory(title="Draft of another", status=Status.DRAFT)
    EventFactory(title="Protected of another", password="secret")
    EventFactory(title="Own draft", status=Status.DRAFT, author=author)
    posts.trash(EventFactory(title="Own trash", author=author))
    posts.trash(EventFactory(title="Trash of another"))

    assert set(shown(client, Event)) == {"Public", "Own draft"}
    assert shown(client, Event, status="trash") == ["Own trash"]


def test_a_list_links_each_record_to_the_api(client, editor):
    event = EventFactory()

    page = client.get(list_url(Event)).content.decode()

    assert f'href="/calendar/events/v1/events/{event.pk}"' in page


def test_suggestions_leave_out_the_trash(client, editor):
    VenueFactory(name="Hall")
    posts.trash(VenueFactory(name="Hall, torn down"))
    query = {
        "app_label": "calendar_app",
        "model_name": "eventvenue",
        "field_name": "venue",
        "term": "hall",
    }

    suggested = client.get(reverse("admin:autocomplete"), query).json()["results"]

    assert [each["text"] for each in suggested] == ["Hall"]


@pytest.mark.parametrize("model", ["category", "tag", "venue", "organizer"])
def test_contributors_choose_among_what_is_there(client, model):
    client.force_login(UserFactory(role="Contributor", is_staff=True))
    field = {"category": "categories", "tag": "tags"}.get(model, model)
    source = "event" if field.endswith("s") else f"event{model}"
    MAKERS[{"category": Category, "tag": Tag, "venue": Venue, "organizer": Organizer}[model]]()
    query = {"app_label": "calendar_app", "model_name": source, "field_name": field}

    response = client.get(reverse("admin:autocomplete"), query)

    assert response.status_code == 200
    assert response.json()["results"]
