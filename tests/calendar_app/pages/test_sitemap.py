"""The sitemap for search engines."""

import datetime as dt
from xml.etree import ElementTree

import pytest

from calendar_app.pages import sitemap

from ..support.factories import CategoryFactory, EventFactory, TagFactory, VenueFactory

pytestmark = pytest.mark.django_db

NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def addresses(client, path):
    response = client.get(path)
    assert response["Content-Type"] == "application/xml"
    root = ElementTree.fromstring(response.content)  # noqa: S314
    return [found.text for found in root.iter(f"{NAMESPACE}loc")]


def pages(client):
    """Return the paths of all pages of the sitemap."""
    parts = addresses(client, "/sitemap.xml")
    found = [page for part in parts for page in addresses(client, path_of(part))]
    return [path_of(page) for page in found]


def path_of(url):
    return url.removeprefix("http://testserver")


def test_it_has_the_pages_that_lists_show_to_the_public(client):
    event = EventFactory(
        title="Fair",
        venues=[VenueFactory(name="Hall & Bar")],
        categories=[CategoryFactory(name="日本")],
    )
    TagFactory(name="Unused")
    EventFactory(title="Draft", status="draft")
    EventFactory(title="Hidden", hide_from_listings=True)
    EventFactory(title="Closed", password="open")
    VenueFactory(status="private")

    found = pages(client)

    assert found == ["/event/fair/", "/venue/hall-bar/", "/category/%E6%97%A5%E6%9C%AC/"]
    assert all(client.get(path).status_code == 200 for path in found)
    changed = event.modified_utc.astimezone(dt.UTC).isoformat()
    assert f"<lastmod>{changed}</lastmod>" in client.get("/sitemap.xml").content.decode()


def test_many_pages_are_in_several_parts_of_few_queries(
    client, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr(sitemap, "SIZE", 2)
    events = EventFactory.create_batch(5)

    with django_assert_num_queries(6):
        parts = addresses(client, "/sitemap.xml")

    with django_assert_num_queries(2):
        addresses(client, path_of(parts[1]))
    assert len(parts) == len({event.pk // 2 for event in events})
    assert pages(client) == [f"/event/{event.slug}/" for event in events]


@pytest.mark.parametrize(
    "name", ["image-0", "event-99999999999999999999", "event-1844674407370956"]
)
def test_a_part_that_cannot_be_is_not_found(client, name):
    assert client.get(f"/sitemap-{name}.xml").status_code == 404


def test_it_is_confirmed_to_who_has_it(client):
    EventFactory()
    etag = client.get("/sitemap.xml")["ETag"]

    assert client.get("/sitemap.xml", headers={"If-None-Match": etag}).status_code == 304
