"""The admin's lists: what they hold, find and filter, and that they stay quick."""

import datetime as dt
import re

import pytest
from django.utils.html import strip_tags

from calendar_app.models import (
    Category,
    Event,
    EventOrganizer,
    EventVenue,
    Organizer,
    Status,
    Tag,
    Venue,
)
from calendar_app.services import posts
from tests.support.admin_lists import list_url, require_constant_queries, shown, suggested

from ..support.admin_users import as_role
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


@pytest.mark.parametrize("model", MAKERS)
def test_a_list_takes_as_many_queries_for_three_as_for_one(client, user, model):
    require_constant_queries(client, model, MAKERS[model], at_most=25)


def test_the_trash_is_hidden_until_it_is_asked_for(client, user):
    EventFactory(title="Kept")
    posts.trash(EventFactory(title="Thrown away"))

    assert shown(client, Event) == ["Kept"]
    assert shown(client, Event, status="trash") == ["Thrown away"]
    assert shown(client, Event, status="draft") == []


@pytest.mark.parametrize("words", ["jazz", "night jazz", "saxophone"])
def test_events_are_found_by_words_of_title_and_description(client, user, words):
    EventFactory(title="Jazz night", description="<p>Saxophone and bass</p>")
    EventFactory(title="Opera")

    assert shown(client, Event, q=words) == ["Jazz night"]


def test_a_category_finds_what_is_in_those_below_it(client, user):
    music = CategoryFactory(name="Music")
    jazz = CategoryFactory(name="Jazz", parent=music)
    EventFactory(title="Concert", categories=[music, jazz])
    EventFactory(title="Lecture", categories=[CategoryFactory()])

    assert shown(client, Event, categories__id__exact=music.pk) == ["Concert"]


@pytest.mark.parametrize(
    ("value", "expected"),
    [("0", []), ("x", ["Concert"]), ("9" * 30, ["Concert"]), ("²", ["Concert"])],
)
def test_an_invalid_category_is_ignored(client, user, value, expected):
    EventFactory(title="Concert")

    assert shown(client, Event, categories__id__exact=value) == expected


@pytest.mark.parametrize("value", ["x", "9" * 30])
def test_an_invalid_parent_is_ignored(client, user, value):
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
def test_a_range_of_days_includes_both(client, user, settings, query, expected):
    settings.CALENDAR_TIME_ZONE = "Asia/Tokyo"
    for day, title in enumerate(["First", "Second", "Third"], start=1):
        EventFactory(
            title=title, start_date=dt.datetime(2027, 3, day, 0, 30), timezone="Asia/Tokyo"
        )

    assert shown(client, Event, **query) == expected


@pytest.mark.attack
@pytest.mark.parametrize(
    "name", ["start_utc__year", "start_utc__day", "categories__id__in", "id__in"]
)
def test_an_endless_number_in_the_address_is_refused(client, user, name):
    assert client.get(list_url(Event), {name: "9" * 40}).status_code == 400


def test_the_months_lead_into_the_list(client, user):
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
def test_events_at_the_edges_of_time_are_listed(client, user, settings, moment, zone, site_zone):
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


def test_a_list_links_each_record_to_the_api(client, user):
    event = EventFactory()

    page = client.get(list_url(Event)).content.decode()

    assert f'href="/calendar/events/v1/events/{event.pk}"' in page
    assert 'class="text-link' in page  # which is bright enough on a dark ground


def test_suggestions_leave_out_the_trash(client, user):
    VenueFactory(name="Hall")
    posts.trash(VenueFactory(name="Hall, torn down"))

    assert suggested(client, EventVenue, "venue", "hall") == ["Hall"]


@pytest.mark.parametrize(
    ("model", "source", "field"),
    [
        (Category, Event, "categories"),
        (Tag, Event, "tags"),
        (Venue, EventVenue, "venue"),
        (Organizer, EventOrganizer, "organizer"),
    ],
)
@as_role("Contributor")
def test_contributors_are_offered_existing_records(client, user, model, source, field):
    MAKERS[model]()

    assert suggested(client, source, field)


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ({}, "Mon 1 Mar 2027, 10:00 – 12:00 UTC"),
        (
            {"end_date": dt.datetime(2027, 3, 2, 1)},
            "Mon 1 Mar 2027, 10:00 – Tue 2 Mar 2027, 01:00 UTC",
        ),
        ({"all_day": True}, "Mon 1 Mar 2027"),
        ({"all_day": True, "end_date": dt.datetime(2027, 3, 2)}, "Mon 1 Mar 2027 – Tue 2 Mar 2027"),
    ],
)
def test_a_list_tells_days_of_the_week(client, user, fields, shown):
    start = dt.datetime(2027, 3, 1, 10)
    EventFactory(**{"start_date": start, "end_date": start.replace(hour=12), **fields})

    page = client.get(list_url(Event)).content.decode()
    assert '<span><span class="nowrap">Mon 1 Mar' in page
    assert f"{shown}\n" in re.sub(r"\s*\n", "\n", strip_tags(page.replace("</td>", "\n")))
