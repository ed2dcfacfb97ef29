"""The month, week and day view of events in the admin."""

import datetime as dt

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from calendar_app.models import Event, Status
from calendar_app.services import posts
from tests.support.admin_lists import list_url

from ...support.admin_users import as_role
from ...support.factories import CategoryFactory, EventFactory, UserFactory, VenueFactory

pytestmark = pytest.mark.django_db
MARCH = {"day": "2027-03-10"}


@pytest.fixture
def shown(client, user):
    """Return the titles that the calendar shows, by day."""

    def show(**query):
        response = client.get(reverse("admin:calendar_app_event_calendar"), MARCH | query)
        assert response.status_code == 200, response.headers
        days = response.context["days"]
        return {day.date.isoformat(): [str(each) for each in day.events] for day in days}

    return show


def at(title, day, hour=10, days=0, **fields):
    start = dt.datetime(2027, 3, day, hour)
    end = start + dt.timedelta(days=days, hours=1)
    return EventFactory(title=title, start_date=start, end_date=end, **fields)


def filled(days):
    return {day: titles for day, titles in days.items() if titles}


def test_a_month_fills_whole_weeks(shown):
    at("Late", 31, hour=20)
    at("Fair", 3, days=1)
    EventFactory(title="Long ago", start_date=dt.datetime(2026, 3, 3))

    days = shown()

    assert (min(days), max(days), len(days)) == ("2027-03-01", "2027-04-04", 35)
    assert filled(days) == {"2027-03-03": ["Fair"], "2027-03-04": ["Fair"], "2027-03-31": ["Late"]}


@pytest.mark.parametrize(
    ("query", "first", "count"),
    [
        ({"span": "week"}, "2027-03-08", 7),
        ({"span": "day"}, "2027-03-10", 1),
        ({"span": "decade"}, "2027-03-01", 35),
        ({"day": "0001-01-01"}, "0001-12-31", 35),
        ({"day": "9999-12-31"}, "9998-11-30", 35),
    ],
)
def test_spans_and_the_edges_of_time(shown, query, first, count):
    days = shown(**query)

    assert (min(days), len(days)) == (first, count)


def test_a_nonsensical_day_shows_this_month(shown):
    assert dt.datetime.now(dt.UTC).date().isoformat() in shown(day="nonsense")


@pytest.mark.parametrize(("zone", "hour"), [("Pacific/Kiritimati", 0), ("Pacific/Niue", 23)])
def test_an_event_is_on_the_day_of_its_own_clock(shown, zone, hour):
    at("Far away", 10, hour=hour, timezone=zone)

    assert "2027-03-10" in filled(shown(span="day"))


def test_every_status_is_shown_and_can_be_shown_alone(shown):
    at("Draft", 1, status=Status.DRAFT)
    at("Pending", 2, status=Status.PENDING)
    posts.trash(at("Thrown away", 3))

    assert len(filled(shown())) == 3
    assert filled(shown(status="trash")) == {"2027-03-03": ["Thrown away"]}
    assert filled(shown(q="pend")) == {"2027-03-02": ["Pending"]}


def test_the_filters_of_the_list_hold(shown):
    music = CategoryFactory()
    at("Concert", 1, categories=[music])
    at("Lecture", 2, featured=True)

    assert filled(shown(categories__id__exact=music.pk)) == {"2027-03-01": ["Concert"]}
    assert filled(shown(featured__exact=1)) == {"2027-03-02": ["Lecture"]}


def test_list_and_calendar_lead_to_each_other_with_search_and_filters(client, user):
    views = client.get(list_url(Event), {"q": "fair", "when": "past"}).context["cl"].views
    assert views[1]["link"] == "/admin/calendar_app/event/calendar/?q=fair&span=month"

    page = client.get(views[1]["link"])

    assert page.context["links"]["list"] == "/admin/calendar_app/event/?q=fair"
    assert page.context["links"]["spans"][1]["link"].startswith("?day=")
    assert "q=fair&span=week" in page.context["links"]["spans"][1]["link"]


def test_a_day_offers_to_add_an_event_on_it(client, user):
    html = client.get(reverse("admin:calendar_app_event_calendar"), MARCH).content.decode()
    address = "/admin/calendar_app/event/add/?start_date=2027-03-05T10:00:00"
    assert f'{address}&amp;end_date=2027-03-05T11:00:00"' in html

    form = client.get(f"{address}&end_date=2027-03-05T11:00:00").content.decode()

    assert 'value="2027-03-05 10:00"' in form
    assert 'value="2027-03-05 11:00"' in form


@as_role("Author")
def test_an_author_sees_and_moves_what_is_theirs(client, user):
    mine = at("Mine", 1, author=user, status=Status.DRAFT)
    at("Public of another", 2)
    at("Draft of another", 3, status=Status.DRAFT, author=UserFactory(role="Author"))
    at("Protected of another", 4, password="secret")

    response = client.get(reverse("admin:calendar_app_event_calendar"), MARCH)

    html = response.content.decode()
    assert "Public of another" in html
    assert not {"Draft of another", "Protected of another"} & {*html.split(">")}
    moves = [event for day in response.context["days"] for event in day.events if event.may_move]
    assert moves == [mine]


@pytest.mark.parametrize("user", [None], indirect=True)
def test_who_may_see_no_events_gets_no_calendar(client, user):
    assert client.get(reverse("admin:calendar_app_event_calendar")).status_code == 403


def test_a_thousand_events_take_as_many_queries_as_one(client, user):
    venue = VenueFactory()
    for number in range(1, 32):
        at(f"Event {number}", number, venues=[venue])
    few = _queries(client)
    Event.objects.bulk_create(_copies(1000))

    assert _queries(client) == few <= 12

    [day] = [day for day in _page(client).context["days"] if day.date == dt.date(2027, 3, 5)]
    assert (len(day.events), day.more) == (6, 1 + 1000 // 31 + 1 - 6)


def _copies(count):
    for number in range(count):
        start = dt.datetime(2027, 3, number % 31 + 1, 12)
        copy = Event(title=f"Copy {number}", slug=f"copy-{number}", start_date=start)
        copy.end_date = start + dt.timedelta(hours=1)
        copy.prepare()
        yield copy


def _page(client):
    return client.get(reverse("admin:calendar_app_event_calendar"), MARCH)


def _queries(client):
    _page(client)
    with CaptureQueriesContext(connection) as queries:
        _page(client)
    return len(queries)
