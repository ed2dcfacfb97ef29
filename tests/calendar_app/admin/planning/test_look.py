"""The calendar in a browser: how it looks, and that events are dragged and moved by keyboard."""

import datetime as dt

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from calendar_app.models import Event, Status
from calendar_app.services import posts

from ...support.factories import CategoryFactory, EventFactory, VenueFactory
from ...support.ics import ics

pytestmark = pytest.mark.django_db(transaction=True)
MONTH = "/admin/calendar_app/event/calendar/?day=2027-03-10"


def at(title, day, hour=10, days=0, **fields):
    start = dt.datetime(2027, 3, day, hour)
    end = start + dt.timedelta(days=days, hours=2)
    return EventFactory(title=title, start_date=start, end_date=end, **fields)


def day_of(page, title):
    """Return the days on which the calendar shows an event."""
    days = page.locator("[data-day]").filter(has=page.get_by_role("link", name=title))
    return [day.get_attribute("data-day") for day in days.all()]


def drag(page, title, day):
    page.get_by_role("listitem").filter(has_text=title).last.drag_to(
        page.locator(f"[data-day='{day}']")
    )


def test_events_are_looked_at_and_moved(viewer):
    at("Spring fair", 3, venues=[VenueFactory(name="Old Mill")])
    at("Choir rehearsal", 4, 19, status=Status.DRAFT)
    at("Parents’ evening", 10, 18, status=Status.PENDING)
    at("Ski week", 15, days=4, status=Status.PRIVATE)
    posts.trash(at("Cancelled talk", 11))
    for number in range(9):
        at(f"Workshop {number}", 24, 8 + number, categories=[CategoryFactory()])
    page = viewer.page

    viewer.open(MONTH)
    viewer.inspect("month", ".planning")
    drag(page, "Choir rehearsal", "2027-03-12")
    expect(page.get_by_text("was moved from 2027-03-04 19:00 to 2027-03-12 19:00")).to_be_visible()
    assert day_of(page, "Choir rehearsal")[:1] == ["2027-03-12"]

    drag(page, "Spring fair", "2027-03-05")
    expect(page.get_by_text("visitors see the new time at once")).to_be_visible()
    viewer.inspect("move-question", ".planning")
    page.get_by_role("button", name="Yes, move it").click()
    expect(page.get_by_text("was moved from 2027-03-03 10:00 to 2027-03-05 10:00")).to_be_visible()

    page.get_by_role("link", name="Move “Parents’ evening”").focus()
    page.keyboard.press("Enter")
    page.get_by_label("New start").fill("2027-03-17 8pm")
    viewer.inspect("move", ".planning")
    page.keyboard.press("Enter")
    expect(page.get_by_text("to 2027-03-17 20:00")).to_be_visible()
    assert str(Event.objects.get(title="Parents’ evening").end_date) == "2027-03-17 22:00:00"

    page.get_by_role("link", name="Week", exact=True).click()
    viewer.inspect("week", ".planning")


def test_the_list_of_events(viewer):
    at("Spring fair", 3, venues=[VenueFactory(name="Old Mill")])
    viewer.open("/admin/calendar_app/event/")

    viewer.inspect("events", ".calendar-views")


def test_the_start_page_shows_what_takes_place_and_what_needs_attention(viewer):
    now = timezone.now().replace(minute=0, second=0, tzinfo=None)
    times = {"start_date": now, "end_date": now + dt.timedelta(hours=2)}
    hall = VenueFactory(name="Old Mill")
    EventFactory(title="Spring fair", venues=[hall], **times)
    EventFactory(title="Choir rehearsal", venues=[hall], status=Status.DRAFT, **times)
    EventFactory(title="Walk", status=Status.PENDING, author=viewer.user, **times)
    page = viewer.page

    viewer.open("/admin/")
    viewer.inspect("calendar-start", ".calendar-overview")

    page.get_by_role("link", name="2 Venue taken twice").click()
    expect(page.locator("#result_list tbody tr")).to_have_count(2)


def test_a_calendar_file_is_looked_at_and_imported(viewer):
    page = viewer.page
    at("Walk", 3)
    viewer.open("/admin/calendar_app/event/")
    page.get_by_role("link", name="Import a calendar file").click()
    events = (
        "SUMMARY:Spring fair\nDTSTART:20270301T100000Z\nDURATION:PT2H\nLOCATION:Old Mill",
        "SUMMARY:Broken\nDTSTART:soon",
    )
    file = {"name": "fair.ics", "mimeType": "text/calendar", "buffer": ics(*events)}
    page.get_by_label("Calendar file").set_input_files(file)
    viewer.inspect("import", ".planning")

    page.get_by_role("button", name="Show what it would do").click()
    expect(page.get_by_text("Event 'Broken' (UID 1@example.org) was skipped")).to_be_visible()
    viewer.inspect("import-preview", ".planning")
    page.get_by_role("button", name="Import", exact=True).click()

    expect(page.get_by_text("Imported 1 venue (1 new) and 1 event (1 new).")).to_be_visible()
    assert Event.objects.filter(title="Spring fair").exists()
