"""Every filter of the event list is answered by an index (PostgreSQL)."""

import datetime as dt

import pytest
from django.db import connection, transaction

from calendar_app.api.filters.event import EventFilterSet
from calendar_app.api.filters.linked import OrganizerFilterSet, VenueFilterSet
from calendar_app.demo.generate import generate
from tests.prerequisites import only_on

from ...support.factories import UserFactory
from ...support.filtering import filtered

pytestmark = [pytest.mark.django_db, only_on("postgresql")]

ALL = "start_date=1999-01-01&end_date=9999-12-31"


@pytest.fixture(scope="module")
def events(django_db_setup, django_db_blocker):
    """Five thousand events, for all tests of the module."""
    with django_db_blocker.unblock(), transaction.atomic():
        generate(5000)
        # Once here, or else at the end of every test.
        connection.check_constraints()
        with connection.cursor() as cursor:
            for column in ("title", "description", "excerpt"):
                cursor.execute(f"SELECT gin_clean_pending_list('calendar_event_{column}_words')")
        yield
        transaction.set_rollback(True)


@pytest.fixture(autouse=True)
def no_full_reads(events, db):
    """Make reading a table in full a last resort, however few rows it has."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")


def plan(filterset_class, query="", user=None):
    """Return PostgreSQL's plan of the first page's IDs."""
    filterset = filtered(filterset_class, query, user)
    assert filterset.is_valid(), filterset.errors
    return filterset.qs.values_list("pk", flat=True)[:10].explain()


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("", "calendar_event_list"),
        (ALL, "calendar_event_list"),
        ("starts_before=tomorrow", "calendar_event_list"),
        ("starts_after=tomorrow", "calendar_event_list"),
        ("ends_before=tomorrow", "calendar_event_list"),
        ("ends_after=yesterday&starts_before=tomorrow", "calendar_event_"),
        (f"{ALL}&search=zzzqqq", "calendar_event_title_words"),
        (f"{ALL}&featured=true", "calendar_event_"),
        (f"{ALL}&ticketed=true", "calendar_event_"),
        (f"{ALL}&categories=generated-category-1", "event_categories"),
        (f"{ALL}&tags=generated-tag-1", "event_tags"),
        (f"{ALL}&geoloc=true", "calendar_app_eventvenue"),
        (f"{ALL}&geoloc_lat=1&geoloc_lng=1&geoloc_radius=1", "calendar_venue_position"),
        ("include=1,2,3", "calendar_app_event_pkey"),
        ("modified_after=tomorrow", "calendar_app_event_modified_utc"),
    ],
)
def test_events_are_found_by_index(query, index):
    found = plan(EventFilterSet, query)

    assert index in found
    assert "Seq Scan" not in found


@pytest.mark.parametrize("query", ["", ALL, "starts_after=tomorrow"])
def test_the_public_list_reads_nothing_but_the_index(query):
    found = plan(EventFilterSet, query)

    assert "Index Only Scan using calendar_event_list" in found
    assert "Sort" not in found


def test_the_start_of_an_overlap_is_bounded_on_both_sides():
    day = dt.date(2027, 3, 1)

    found = plan(EventFilterSet, f"ends_after={day}&starts_before={day}")

    (condition,) = [line for line in found.splitlines() if "Index Cond" in line]
    assert "start_utc > " in condition
    assert "start_utc < " in condition


@pytest.mark.parametrize("query", ["", ALL, "status=draft", "hide_from_listings=true"])
@pytest.mark.parametrize("role", ["Author", "Editor"])
def test_those_who_see_more_are_served_by_an_index_as_well(role, query):
    assert "Seq Scan" not in plan(EventFilterSet, query, UserFactory(role=role))


@pytest.mark.parametrize("filterset", [VenueFilterSet, OrganizerFilterSet])
@pytest.mark.parametrize("query", ["", "has_events=1", "only_with_upcoming=1"])
def test_venues_and_organizers_are_found_by_index(filterset, query):
    found = plan(filterset, query)

    assert "_list on calendar_app_" in found
    assert "Seq Scan" not in found
