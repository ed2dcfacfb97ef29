"""Where SQLite would read every event unless it is asked in its own way."""

import pytest

from calendar_app.api.filters.event import EventFilterSet
from calendar_app.demo.generate import generate
from tests.prerequisites import only_on

from ...support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)
from ...support.filtering import filtered, listed

pytestmark = [pytest.mark.django_db, only_on("sqlite")]

ALL = "start_date=1999-01-01&end_date=9999-12-31"


@pytest.mark.parametrize(
    "query",
    [
        "categories=generated-category-1",
        "tags=generated-tag-1",
        "venue=1",
        "organizer=1",
        "geoloc_lat=1&geoloc_lng=1&geoloc_radius=1",
    ],
)
def test_links_are_asked_once_and_not_for_each_event(query):
    VenueFactory(pk=1)
    OrganizerFactory(pk=1)
    CategoryFactory(slug="generated-category-1")
    TagFactory(slug="generated-tag-1")

    found = plan(query)

    assert "LIST SUBQUERY" in found
    assert "CORRELATED" not in found


@pytest.mark.parametrize("name", ["featured", "ticketed"])
def test_few_events_are_read_from_an_index_of_their_own(name):
    generate(200)

    assert f"USING INDEX calendar_event_{name}" in plan(f"{name}=true")


def test_the_parts_of_an_event_are_found_by_index():
    EventFactory(pk=1)

    assert "calendar_app_event_parent_id" in plan("post_parent=1")


def test_changed_events_are_found_by_index():
    event = EventFactory()

    assert "calendar_app_event_modified_utc" in plan("modified_after=2000-01-01")
    assert listed(EventFilterSet, "modified_after=2000-01-01") == [str(event)]


def plan(query):
    filterset = filtered(EventFilterSet, f"{ALL}&{query}")
    assert filterset.is_valid(), filterset.errors
    return filterset.qs.values_list("pk", flat=True)[:10].explain()
