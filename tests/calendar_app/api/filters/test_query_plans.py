"""Among 100,000 events the event list is still answered by index, whatever is asked of it.

PostgreSQL chooses each plan by its own statistics; nothing forces its hand here.
"""

import re

import pytest
from django.db import connection, transaction

from calendar_app.api.filters.event import EventFilterSet
from calendar_app.demo.generate import generate
from calendar_app.models import Event, Organizer, Tag, Venue
from tests.prerequisites import only_on

from ...support.api_client import get
from ...support.filtering import filtered

pytestmark = [
    pytest.mark.django_db,
    only_on("postgresql"),
    pytest.mark.xdist_group("many events"),  # one process generates them
]

NUMBER = 100_000
ALL = "start_date=1999-01-01&end_date=9999-12-31"
# Rows that a plan may read in full: none of these tables grows with the number of events.
SMALL = {"calendar_app_venue", "calendar_app_organizer", "calendar_app_category"}


@pytest.fixture(scope="module")
def many(django_db_setup, django_db_blocker):
    """100,000 events, for all tests of the module."""
    with django_db_blocker.unblock(), transaction.atomic():
        generate(NUMBER)
        # Once here, or else at the end of every test.
        connection.check_constraints()
        Tag.objects.create(name="Unused")
        with connection.cursor() as cursor:
            for column in ("title", "description", "excerpt"):
                cursor.execute(f"SELECT gin_clean_pending_list('calendar_event_{column}_words')")
        yield
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def of_many(many, db):
    """Let each test see the events."""


def read_in_full(plan):
    return set(re.findall(r"Seq Scan on (\w+)", plan)) - SMALL


def plan(query, start=0):
    filterset = filtered(EventFilterSet, query)
    assert filterset.is_valid(), filterset.errors
    return filterset.qs.values_list("pk", flat=True)[start : start + 10].explain()


def test_the_first_page_reads_nothing_but_the_index():
    found = plan("")

    assert "Index Only Scan using calendar_event_list" in found
    assert "Sort" not in found


def test_page_5000_reads_nothing_but_the_index_before_its_own_rows():
    found = plan(ALL, start=49_990)

    assert "Index Only Scan using calendar_event_list" in found
    assert "Sort" not in found


def test_page_5000_is_answered_in_the_queries_of_the_first(django_assert_num_queries):
    with django_assert_num_queries(9):
        first = get(f"/events?{ALL}")
    with django_assert_num_queries(7):
        deep = get(f"/events?{ALL}&page=5000")

    assert len(first.json()["events"]) == len(deep.json()["events"]) == 10
    assert deep.json()["total"] == NUMBER


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("starts_before=tomorrow", "calendar_event_list"),
        ("starts_after=tomorrow", "calendar_event_list"),
        ("ends_before=tomorrow", "calendar_event_list"),
        ("ends_after=yesterday&starts_before=tomorrow", "calendar_event_list"),
        ("modified_after=tomorrow", "calendar_app_event_modified_utc"),
        (f"{ALL}&search=zzzqqq", "calendar_event_title_words"),
        (f"{ALL}&search=opera", "calendar_event_list"),
        (f"{ALL}&search=riverside+opera", "calendar_event_"),
        (f"{ALL}&categories=generated-category-1", "calendar_app_event_categories_"),
        (f"{ALL}&tags=generated-tag-1", "calendar_app_event_tags_"),
        (f"{ALL}&tags=unused", "calendar_app_event_tags_"),
        (f"{ALL}&featured=true", "calendar_event_featured"),
        (f"{ALL}&ticketed=true", "calendar_event_"),
        (f"{ALL}&geoloc=true", "calendar_app_eventvenue"),
        (f"{ALL}&geoloc_lat=1&geoloc_lng=1&geoloc_radius=1", "calendar_app_eventvenue"),
        ("status=publish", "calendar_event_list"),
        ("hide_from_listings=false", "calendar_event_list"),
        ("include=1,2,3", "calendar_app_event_pkey"),
    ],
)
def test_each_filter_is_answered_by_an_index(query, index):
    found = plan(query)

    assert index in found
    assert not read_in_full(found)


@pytest.mark.parametrize(
    ("parameter", "model", "index"),
    [
        ("venue", Venue, "calendar_app_eventvenue"),
        ("organizer", Organizer, "calendar_app_eventorganizer"),
        ("post_parent", Event, "calendar_app_event_parent_id"),
    ],
)
def test_each_filter_by_a_record_is_answered_by_an_index(parameter, model, index):
    found = plan(f"{ALL}&{parameter}={model.objects.first().pk}")

    assert index in found
    assert not read_in_full(found)


def test_two_terms_are_read_from_indexes():
    found = plan(f"{ALL}&categories=generated-category-1&tags=generated-tag-1")

    assert not read_in_full(found)


def test_events_near_a_venue_are_found_by_its_id():
    venue = Venue.objects.exclude(geo_lat=None).first()

    found = plan(f"{ALL}&geoloc_lat={venue.geo_lat}&geoloc_lng={venue.geo_lng}")

    assert "geo_lat" not in found
    assert not read_in_full(found)


def test_where_no_venue_is_near_no_event_is_read():
    found = plan(f"{ALL}&geoloc_lat=-89&geoloc_lng=0&geoloc_radius=1")

    assert "One-Time Filter" in found
