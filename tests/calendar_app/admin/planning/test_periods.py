"""The tabs of the event list."""

import datetime as dt

import pytest

from calendar_app.models import Category, Event, Status
from tests.support.admin_lists import list_url, shown

from ...support.factories import CategoryFactory, EventFactory

pytestmark = pytest.mark.django_db

WEDNESDAY = dt.datetime(2027, 3, 10, 12, tzinfo=dt.UTC)
DAYS = {"Yesterday": 9, "Today": 10, "Sunday": 14, "Next week": 15}


@pytest.fixture(autouse=True)
def _some_days():
    for title, day in DAYS.items():
        EventFactory(title=title, start_date=dt.datetime(2027, 3, day, 8))
    EventFactory(
        title="Exhibition",
        start_date=dt.datetime(2027, 3, 1, 8),
        end_date=dt.datetime(2027, 3, 31, 8),
    )


@pytest.fixture
def at(client, user, time_machine):
    """Turn the clock to a moment, with a user who is logged in then."""

    def travel(moment):
        time_machine.move_to(moment)
        client.force_login(user)

    return travel


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({}, ["Exhibition", "Today", "Sunday", "Next week"]),
        ({"when": "nonsense"}, ["Next week", "Sunday", "Today", "Yesterday", "Exhibition"]),
        ({"when": "today"}, ["Exhibition", "Today"]),
        ({"when": "week"}, ["Exhibition", "Yesterday", "Today", "Sunday"]),
        ({"when": "past"}, ["Yesterday"]),
        ({"q": "day"}, ["Sunday", "Today", "Yesterday"]),
        ({"q": "day", "when": "upcoming"}, ["Today", "Sunday"]),
        ({"status": ""}, ["Exhibition", "Today", "Sunday", "Next week"]),
    ],
)
def test_a_tab_shows_its_period(client, at, query, expected):
    at(WEDNESDAY)

    assert shown(client, Event, **query) == expected


def test_days_are_those_of_the_site(client, at, settings):
    settings.CALENDAR_TIME_ZONE = "Asia/Tokyo"
    at(dt.datetime(2027, 3, 14, 16, tzinfo=dt.UTC))  # Monday there

    assert shown(client, Event, when="today") == ["Exhibition", "Next week"]


def test_a_list_with_nothing_to_come_opens_at_all(client, at):
    at(dt.datetime(2028, 1, 1, tzinfo=dt.UTC))

    assert shown(client, Event)[0] == "Next week"


def test_a_tab_keeps_search_and_filters(client, user):
    EventFactory(title="Draft", status=Status.DRAFT, featured=True)
    query = {"q": "r", "featured__exact": 1, "when": "past"}

    response = client.get(list_url(Event), query)

    tabs = {tab["title"]: tab for tab in response.context["cl"].tabs}
    assert [title for title, tab in tabs.items() if tab["is_current"]] == ["Past"]
    assert tabs["Drafts"]["link"] == "?featured__exact=1&q=r&status=draft"
    assert tabs["Today"]["link"] == "?featured__exact=1&q=r&when=today"
    assert '<input type="hidden" name="when" value="past">' in response.content.decode()
    drafts = client.get(list_url(Event) + tabs["Drafts"]["link"]).context["cl"]
    assert [str(event) for event in drafts.result_list] == ["Draft"]
    assert [tab["title"] for tab in drafts.tabs if tab["is_current"]] == ["Drafts"]


def test_categories_are_listed_below_their_parents(client, user):
    sport, art = CategoryFactory(name="Sport"), CategoryFactory(name="Art")
    CategoryFactory(name="Painting", parent=art)
    CategoryFactory(name="Football", parent=sport)

    page = client.get(list_url(Category)).content.decode()

    assert shown(client, Category) == ["Art", "Painting", "Sport", "Football"]
    assert "\N{EM SPACE}Football" in page
    assert shown(client, Category, o="1") == ["Art", "Football", "Painting", "Sport"]
    assert shown(client, Category, q="ball") == ["Football"]
