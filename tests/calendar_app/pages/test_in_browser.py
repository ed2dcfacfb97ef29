"""A visitor's way through the public pages, in a real browser."""

import datetime as dt

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.support.browser import OVERFLOW, Viewer

from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
    make_image,
)

pytestmark = pytest.mark.django_db(transaction=True)

NEXT_YEAR = dt.datetime.now(dt.UTC).year + 1
MARCH = f"/events/month/{NEXT_YEAR}-03/"


@pytest.fixture
def visitor(live_server, new_context, tmp_path):
    """Somebody in New York who is not logged in."""
    context = new_context(timezone_id="America/New_York")
    context.set_default_timeout(20_000)
    page = context.new_page()
    page.on("request", lambda request: requests.append(request.url))
    requests = []
    viewer = Viewer(page, live_server.url, tmp_path / "screenshots", user=None)
    yield viewer
    assert [url for url in requests if not url.startswith(live_server.url)] == []


@pytest.fixture
def programme(media):
    """Events of the next March: a series of talks, a fair of some days, and a full day."""
    hall = VenueFactory(name="Town hall", address="1 Square", city="Lyon")
    links = {
        "venues": [hall],
        "organizers": [OrganizerFactory(name="Friends of the hall")],
        "categories": [CategoryFactory(name="Music")],
        "tags": [TagFactory(name="Free")],
    }

    def at(day, hour, title, days=0, **fields):
        start = dt.datetime(NEXT_YEAR, 3, day, hour)
        end = start + dt.timedelta(days=days, hours=1)
        return EventFactory(
            title=title, start_date=start, end_date=end, timezone="Europe/Paris", **fields
        )

    first = at(
        3,
        20,
        "Night of jazz",
        description="<h2>Programme</h2><p>Two sets, with <a href='https://x.example/'>guests</a>.</p>",
        image=make_image(),
        cost="12",
        featured=True,
        **links,
    )
    at(10, 20, "Second night", parent=first)
    at(16, 9, "Spring fair", days=3, **links)
    at(17, 8, "Members only", password="open")
    for hour in range(10, 16):
        at(17, hour, f"Guided tour at {hour}")
    return first


def unfindable(visitor):
    """Return whatever axe-core finds, however slight, and how wide a page of 320 pixels is."""
    visitor.page.set_viewport_size({"width": 320, "height": 700})
    found = [each["id"] for each in Axe().run(visitor.page).response["violations"]]
    return found, visitor.page.evaluate(OVERFLOW)


def test_a_visitor_finds_an_event_by_month_and_takes_it_home(visitor, programme):
    page = visitor.page

    visitor.open(MARCH)
    visitor.inspect("page-month")
    assert unfindable(visitor) == ([], 0)
    page.set_viewport_size({"width": 1400, "height": 900})
    page.get_by_role("link", name="and 4 more").click()
    expect(page.locator("h1")).to_contain_text(f"17 March {NEXT_YEAR}")
    expect(page.locator(".card")).to_have_count(8)
    page.get_by_role("link", name=f"March {NEXT_YEAR}").click()
    page.get_by_role("link", name="Night of jazz").click()

    expect(page.locator(".yours")).to_contain_text("14:00")
    visitor.inspect("page-event")
    assert unfindable(visitor) == ([], 0)
    with page.expect_download() as taken:
        page.get_by_role("link", name="Add to calendar").click()
    assert "SUMMARY:Night of jazz" in taken.value.path().read_text()

    page.get_by_role("link", name="Town hall").click()
    visitor.inspect("page-venue")
    assert unfindable(visitor) == ([], 0)
    page.get_by_role("link", name="Month").click()
    expect(page).to_have_url(f"{visitor.root}/events/month/?venue={programme.venues.get().pk}")
    page.get_by_role("link", name="Show all").click()
    page.get_by_label("Search").fill("spring")
    page.get_by_role("button", name="Find").click()
    page.get_by_role("link", name="Upcoming").click()
    expect(page.locator(".card h2")).to_have_text(["Spring fair"])
    visitor.inspect("page-list")
    assert unfindable(visitor) == ([], 0)


def test_all_can_be_read_without_scripts(live_server, new_context, programme):
    page = new_context(java_script_enabled=False).new_page()

    page.goto(live_server.url + MARCH)
    page.get_by_role("link", name="Night of jazz").click()

    expect(page.locator(".when").first).to_contain_text("20:00")
    expect(page.locator(".yours")).to_be_hidden()
