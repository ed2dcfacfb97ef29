"""The addresses that a list gives of itself and of its other pages."""

import datetime as dt
from urllib.parse import parse_qs, urlsplit

import pytest

from ..support.api_client import client_of, get
from ..support.factories import EventFactory

pytestmark = pytest.mark.django_db

NAMES = ("rest_url", "next_rest_url", "previous_rest_url")
LATE = dt.datetime(2027, 3, 1, 23, 59, 58, tzinfo=dt.UTC)
DEFAULT = {"start_date": "2027-02-28 00:00:00", "end_date": "2029-03-01 23:59:59"}


@pytest.fixture(autouse=True)
def _shortly_before_midnight(time_machine):
    time_machine.move_to(LATE, tick=False)


def query_of(address):
    return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}


def addresses(**params):
    """Return the queries of the addresses on the second of three pages of events."""
    page = get("/events", {"per_page": 1, "page": 2, **params}).json()
    return [query_of(page[name]) for name in NAMES]


@pytest.fixture
def events():
    return [EventFactory(start_date=dt.datetime(2027, 3, day, 10)) for day in (1, 2, 3)]


def test_carry_the_default_window(events):
    for page, query in zip(("2", "3", "1"), addresses(), strict=True):
        assert query == {"per_page": "1", "page": page, **DEFAULT}


def test_are_the_same_in_the_header(events):
    answer = get("/events", {"per_page": 1, "page": 2})

    found = answer.json()
    assert answer["Link"] == (
        f'<{found["next_rest_url"]}>; rel="next", <{found["previous_rest_url"]}>; rel="prev"'
    )


def test_lead_through_the_same_list_after_midnight(time_machine):
    made = [EventFactory(start_date=dt.datetime(2027, 2, 28, hour)) for hour in (10, 12)]
    first = get("/events", {"per_page": 1}).json()

    time_machine.move_to(LATE + dt.timedelta(minutes=1), tick=False)

    second = client_of().get(first["next_rest_url"]).json()
    assert [event["id"] for event in first["events"] + second["events"]] == [e.pk for e in made]
    assert (second["total"], get("/events").json()["total"]) == (2, 0)


def test_keep_an_end_of_the_window_as_it_was_given(events):
    given = {"start_date": "02/03/2027", "end_date": "2027-04-01T00:00:00+02:00"}

    for query in addresses(**given):
        assert given.items() <= query.items()


def test_add_the_end_that_was_not_given(events):
    for query in addresses(start_date="2027-01-01"):
        assert query["start_date"] == "2027-01-01"
        assert query["end_date"] == DEFAULT["end_date"]


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        ({"start_date": "today"}, {"start_date": "2027-03-01 00:00:00"}),
        ({"start_date": "now", "strict_dates": "1"}, {"start_date": "2027-03-01 23:59:58"}),
        ({"ends_after": "yesterday"}, {"ends_after": "2027-02-28 23:59:59"}),
        ({"modified_after": "-1 week"}, {"modified_after": "2027-02-22 23:59:58"}),
    ],
)
def test_say_what_a_phrase_stands_for(params, expected):
    [EventFactory(start_date=dt.datetime(2027, 3, 2, 10)) for _ in range(3)]

    for query in addresses(**params):
        assert expected.items() <= query.items()


@pytest.mark.parametrize("name", ["starts_after", "ends_after", "modified_after"])
def test_have_no_window_where_another_bound_takes_its_place(name, events):
    for query in addresses(**{name: "2027-01-01"}):
        assert query.keys() == {"per_page", "page", name}


def test_have_no_window_beside_include(events):
    for query in addresses(include=",".join(str(event.pk) for event in events)):
        assert query.keys() == {"per_page", "page", "include"}


def test_name_an_hour_that_clocks_show_twice_with_its_offset(settings, time_machine):
    settings.CALENDAR_TIME_ZONE = "Europe/Paris"
    time_machine.move_to(dt.datetime(2027, 10, 31, 1, 30, tzinfo=dt.UTC), tick=False)

    address = get("/events", {"start_date": "now", "strict_dates": "1"}).json()["rest_url"]

    assert query_of(address)["start_date"] == "2027-10-31T02:30:00+01:00"


@pytest.mark.parametrize("zone", ["America/Havana", "Asia/Beirut", "Pacific/Kiritimati"])
def test_mean_the_same_window_in_every_zone(zone, settings):
    settings.CALENDAR_TIME_ZONE = zone
    page = get("/events").json()

    again = client_of().get(page["rest_url"]).json()

    assert again == page


def test_of_venues_say_what_a_phrase_stands_for():
    address = get("/venues", {"modified_after": "yesterday"}).json()["rest_url"]

    assert query_of(address) == {"modified_after": "2027-02-28 00:00:00"}
