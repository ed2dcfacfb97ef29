"""Totals: kept until the next write, and never waited for."""

import datetime as dt
import threading
import time

import pytest
from django.db import connection
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st

from calendar_app.api import pagination, totals
from calendar_app.lib.time_limit import TooSlow
from calendar_app.models import Event
from calendar_app.services import revision

from ..support.api_client import client_of, get
from ..support.factories import EventFactory, UserFactory

ALL = {"start_date": "1999-01-01", "end_date": "9999-12-31"}
NOON = dt.datetime(2027, 3, 1, 12, 0, 30, tzinfo=dt.UTC)


class RequestsRouter:
    """Has one database to read for a request, and would have another for its background."""

    def db_for_read(self, model, **hints):
        return "default" if threading.current_thread() is threading.main_thread() else "another"


@pytest.fixture
def slow(monkeypatch):
    """Make counting take too long in a request."""

    def refuse(*args):
        raise TooSlow

    monkeypatch.setattr(totals, "_counted", refuse)


@pytest.fixture
def never_counted(slow, monkeypatch):
    monkeypatch.setattr(totals, "_count_in_background", lambda *args: None)


def counts(queries):
    return [query for query in queries if "COUNT(" in query["sql"]]


@pytest.mark.django_db
class TestKept:
    def test_all_pages_of_a_list_share_one_count(self, django_assert_max_num_queries):
        EventFactory.create_batch(3)

        with django_assert_max_num_queries(99) as done:
            answers = [get("/events", {**ALL, "per_page": 1, "page": n}) for n in (1, 2, 3)]

        assert [answer.json()["total"] for answer in answers] == [3, 3, 3]
        assert len(counts(done.captured_queries)) == 1

    def test_a_write_makes_the_next_request_count_again(self):
        EventFactory()
        before = get("/events", ALL).json()["total"]
        EventFactory()

        assert (before, get("/events", ALL).json()["total"]) == (1, 2)

    def test_each_caller_has_the_total_of_what_they_may_see(self):
        EventFactory()
        EventFactory(status="draft")

        editor = client_of(UserFactory(role="Editor"))

        assert get("/events", ALL).json()["total"] == 1
        assert get("/events", ALL, editor).json()["total"] == 2

    def test_a_list_that_is_certainly_empty_is_not_counted(self, django_assert_max_num_queries):
        with django_assert_max_num_queries(99) as done:
            answer = get("/events", {**ALL, "hide_from_listings": "true"})

        assert answer.json()["total"] == 0
        assert not counts(done.captured_queries)

    def test_a_list_whose_total_is_0_is_not_read(self, django_assert_max_num_queries):
        with django_assert_max_num_queries(99) as done:
            answer = get("/events", {**ALL, "search": "zq"})

        assert answer.json()["events"] == []
        assert not [query for query in done.captured_queries if "ORDER BY" in query["sql"]]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("bound", "counted_again"),
    [
        ({"starts_after": "now"}, [False, True]),
        ({"starts_before": "now"}, [False, True]),
        ({"start_date": "now", "end_date": "+1 year"}, [False, True]),
        ({"ends_after": "-1 hour"}, [False, True]),
        ({"ends_before": "-1 hour"}, [False, True]),
    ],
)
def test_the_total_of_a_moving_window_is_kept_until_an_event_starts_or_ends(
    bound, counted_again, time_machine, django_assert_max_num_queries
):
    time_machine.move_to(NOON - dt.timedelta(days=1), tick=False)
    for hours in (-5, 0, 1, 9):
        start = NOON.replace(tzinfo=None) + dt.timedelta(hours=hours)
        EventFactory(start_date=start, end_date=start + dt.timedelta(minutes=1), timezone="UTC")
    found = []
    for minutes in (5, 15, 75):
        time_machine.move_to(NOON + dt.timedelta(minutes=minutes), tick=False)
        with django_assert_max_num_queries(99) as done:
            get("/events", {**bound, "strict_dates": "true"})
        found.append(bool(counts(done.captured_queries)))

    assert found == [True, *counted_again]


@pytest.mark.django_db(transaction=True)
class TestSlow:
    def test_it_is_counted_once_in_the_background_and_exact_from_then_on(self, slow):
        EventFactory.create_batch(5)
        connection.ensure_connection()

        first = get("/events", {**ALL, "per_page": 2})
        end = time.monotonic() + 10
        while "ETag" not in get("/events", ALL) and time.monotonic() < end:
            time.sleep(0.01)
        last = get("/events", {**ALL, "per_page": 2})

        assert first.json()["total"] >= 3
        assert first["Cache-Control"] == "no-store"
        assert "ETag" not in first
        assert last.json()["total"] == 5
        assert "ETag" in last

    def test_it_is_counted_in_the_database_that_the_request_reads(self, slow):
        EventFactory.create_batch(5)
        connection.ensure_connection()
        end = time.monotonic() + 10

        with override_settings(DATABASE_ROUTERS=[f"{__name__}.RequestsRouter"]):
            while "ETag" not in (answer := get("/events", ALL)) and time.monotonic() < end:
                time.sleep(0.01)

        assert (answer.json()["total"], "ETag" in answer) == (5, True)

    def test_after_a_write_it_is_the_last_known_total(self, slow, monkeypatch):
        EventFactory.create_batch(5)
        events = Event.objects.all()
        totals._is_counting.acquire()
        totals._count(events, totals._key(events.order_by()), revision.current())
        assert totals.quick(events, revision.current()) == totals.Total(5)
        monkeypatch.setattr(totals, "_count_in_background", lambda *args: None)

        EventFactory()

        assert totals.quick(events, revision.current()) == totals.Total(5, is_exact=False)


@pytest.mark.django_db
class TestProvisional:
    """Links and pages agree with the records, whatever the estimate."""

    @pytest.mark.parametrize("estimate", [0, 1, 4, 5, 6, 900])
    def test_following_the_links_finds_every_event_once(self, never_counted, monkeypatch, estimate):
        events = EventFactory.create_batch(5)
        monkeypatch.setattr(totals, "_estimate", lambda queryset: estimate)
        found, page = [], get("/events", {**ALL, "per_page": 2}).json()
        while True:
            found += [event["id"] for event in page["events"]]
            assert page["total"] >= len(found)
            if "next_rest_url" not in page:
                break
            page = get(page["next_rest_url"].partition("v1")[2]).json()

        assert sorted(found) == sorted(event.pk for event in events)
        assert (page["total"], page["total_pages"]) == (5, 3)

    def test_a_page_past_the_end_is_not_found(self, never_counted):
        EventFactory.create_batch(2)

        assert get("/events", {**ALL, "per_page": 2, "page": 1}).json()["total"] == 2
        assert get("/events", {**ALL, "per_page": 2, "page": 2}).status_code == 404

    def test_an_empty_list_is_empty(self, never_counted):
        answer = get("/events", ALL).json()

        assert (answer["total"], answer["total_pages"], answer["events"]) == (0, 0, [])

    def test_postgresql_estimates(self, never_counted):
        number = totals._estimate(Event.objects.all())

        assert number >= 1 if connection.vendor == "postgresql" else number == 0


@given(
    true=st.integers(0, 60),
    estimate=st.integers(0, 90),
    page=st.integers(1, 9),
    size=st.integers(1, 9),
)
def test_a_provisional_total_agrees_with_its_page(true, estimate, page, size):
    start = (page - 1) * size
    found = min(max(true - start, 0), size + 1)

    total = pagination._possible(estimate, start, found, size)

    if found or page == 1:
        assert (total > page * size) == (true > page * size)
        assert total >= start + min(found, size)
        if true <= page * size:
            assert total == true
    else:
        assert total <= start
