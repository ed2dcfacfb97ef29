import pytest

from calendar_app.api import representations
from calendar_app.api.representations import Urls

from ...support.factories import CategoryFactory, EventFactory, TagFactory

pytestmark = pytest.mark.django_db

URLS = Urls("https://example.org")
REST = "https://example.org/calendar/events/v1"


@pytest.fixture
def jazz():
    """Return a category below another, that one event has."""
    category = CategoryFactory(
        name="Jazz", description="<p>Blue.</p>", parent=CategoryFactory(name="Music")
    )
    EventFactory(categories=[category])
    category.refresh_from_db()
    return category


def test_a_category(jazz):
    expected = {
        "id": jazz.pk,
        "count": 1,
        "description": "<p>Blue.</p>",
        "name": "Jazz",
        "slug": "jazz",
        "taxonomy": "tribe_events_cat",
        "parent": jazz.parent_id,
        "meta": [],
        "url": "https://example.org/category/jazz/",
        "urls": {
            "self": f"{REST}/categories/{jazz.pk}",
            "collection": f"{REST}/categories",
            "up": f"{REST}/categories/{jazz.parent_id}",
        },
    }

    found = representations.category(jazz, URLS)

    assert found == expected
    assert list(found) == list(expected)
    assert list(found["urls"]) == list(expected["urls"])


def test_a_category_at_the_top_has_no_way_up():
    found = representations.category(CategoryFactory(), URLS)

    assert found["parent"] == 0
    assert list(found["urls"]) == ["self", "collection"]


def test_a_tag():
    tag = TagFactory(name="Open air")
    expected = {
        "id": tag.pk,
        "count": 0,
        "description": "",
        "name": "Open air",
        "slug": "open-air",
        "taxonomy": "post_tag",
        "meta": [],
        "url": "https://example.org/tag/open-air/",
        "urls": {"self": f"{REST}/tags/{tag.pk}", "collection": f"{REST}/tags"},
    }

    assert [*representations.tag(tag, URLS).items()] == [*expected.items()]


def test_a_category_inside_of_an_event(jazz):
    expected = {
        "name": "Jazz",
        "slug": "jazz",
        "term_group": 0,
        "term_taxonomy_id": jazz.pk,
        "taxonomy": "tribe_events_cat",
        "description": "<p>Blue.</p>",
        "parent": jazz.parent_id,
        "count": 1,
        "filter": "raw",
        "id": jazz.pk,
        "urls": {
            "self": f"{REST}/categories/{jazz.pk}",
            "collection": f"{REST}/categories",
            "up": f"{REST}/categories/{jazz.parent_id}",
        },
    }

    assert [*representations.embedded_term(jazz, URLS).items()] == [*expected.items()]


def test_a_tag_inside_of_an_event_has_no_parent():
    tag = TagFactory()

    found = representations.embedded_term(tag, URLS)

    assert found["parent"] == 0
    assert found["taxonomy"] == "post_tag"
    assert found["urls"] == {"self": f"{REST}/tags/{tag.pk}", "collection": f"{REST}/tags"}
