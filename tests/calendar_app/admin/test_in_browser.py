"""A day's work in the admin, in a real browser."""

import re

import pytest
from django.apps import apps
from playwright.sync_api import expect

from calendar_app.models import Event, Status

from ..support.api_client import P
from ..support.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def site(live_server, page, tmp_path):
    """A browser's page at the admin, with a photographer of what it shows."""
    page.set_default_timeout(20_000)
    page.set_viewport_size({"width": 1400, "height": 1000})
    page.photograph = lambda name: page.screenshot(path=tmp_path / f"{name}.png", full_page=True)
    page.goto(f"{live_server.url}/admin/")
    return page


def log_in(page):
    editor = UserFactory(role="Editor", is_staff=True)
    page.get_by_label("Username").fill(editor.username)
    page.get_by_label("Password").fill("secret")
    page.photograph("login")
    page.get_by_role("button", name="Log in").click()
    page.photograph("index")


def add_venue(page, name):
    """Make a venue in the window that a new row of the event's venues opens."""
    page.locator("#venue_links-group").get_by_text("Add another").first.click()
    make = page.locator("#add_id_venue_links-0-venue")
    label = "New venue" if apps.is_installed("unfold") else "Add another venue"
    expect(make).to_have_accessible_name(label)
    with page.expect_popup() as opened:
        make.click()
    window = opened.value
    window.get_by_label("Name").fill(name)
    with window.expect_event("close"):
        window.get_by_role("button", name="Save").first.click()
    expect(page.locator("#id_venue_links-0-venue option:checked")).to_have_text(name)
    expect(page.locator("#change_id_venue_links-0-venue")).to_be_visible()


def test_an_event_with_a_new_venue_is_made_found_and_published(site, browser, live_server):
    log_in(site)

    site.goto(f"{live_server.url}/admin/calendar_app/event/add/")
    site.get_by_label("Title").fill("Lantern parade")
    site.get_by_label("Start").fill("2027-11-11T18:00:00")
    site.get_by_label("End").fill("2027-11-11T20:30:00")
    add_venue(site, "Old harbour")
    site.photograph("form")
    site.get_by_label("Status").select_option("draft")
    site.photograph("publication")
    site.get_by_role("button", name="Save", exact=True).click()
    expect(site.get_by_text("was added successfully")).to_be_visible()
    assert Event.objects.get().status == Status.DRAFT

    site.locator("#searchbar").fill("lantern")
    site.keyboard.press("Enter")
    site.locator("input.action-select").check()
    site.locator("select[name=action]").select_option("publish")
    site.photograph("list")
    site.get_by_role("button", name=re.compile("Run|Go")).click()  # Unfold's or Django's
    expect(site.get_by_text("Published: 1 event.")).to_be_visible()
    site.photograph("published")

    public = browser.new_context().request
    event = public.get(f"{live_server.url}{P}/events/by-slug/lantern-parade").json()
    assert (event["status"], event["venue"]["venue"]) == ("publish", "Old harbour")
    assert event["start_date"] == "2027-11-11 18:00:00"
