"""The form of an event in a browser: what it says while somebody types."""

import pytest
from playwright.sync_api import expect

from calendar_app.models import Event

from ..support.factories import CategoryFactory, EventFactory, VenueFactory

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_hall_that_is_booked_twice_is_told_at_once(viewer):
    hall = VenueFactory(name="Old Mill")
    EventFactory(title="Choir rehearsal", venues=[hall])
    event = EventFactory(title="Night of jazz", venues=[hall])
    page = viewer.page

    viewer.open(f"/admin/calendar_app/event/{event.pk}/change/")
    page.get_by_label("Start").fill("1 March 2027 10:30am")
    page.get_by_label("End").fill("2027-03-01 9am")
    expect(page.get_by_text("The end is before the start.")).to_be_visible()
    page.get_by_label("End").fill("1 March 2027 noon")

    expect(page.get_by_text("= Monday, 1 March 2027, 12:00")).to_be_visible()
    expect(page.get_by_text("Old Mill is taken by “Choir rehearsal”")).to_be_visible()
    viewer.inspect("form", ".field-start_date")


def test_a_weekly_series_is_made_one_date_moved_and_one_cancelled(viewer):
    page = viewer.page
    viewer.open("/admin/calendar_app/event/add/")
    page.get_by_label("Title").fill("Choir")
    page.get_by_label("Start").fill("1 March 2027 7pm")
    page.get_by_label("End").fill("1 March 2027 9pm")
    page.get_by_text("Repeats: does not repeat", exact=True).click()
    page.get_by_label("Repeats").select_option("weekly")
    page.get_by_label("Thursday").check()
    expect(page.get_by_text("is not a date of the rule")).to_be_visible()
    page.get_by_label("Monday").check()
    page.get_by_label("Times", exact=True).fill("4")
    expect(page.get_by_text("Thursday, 11 March 2027, 19:00")).to_be_visible()
    viewer.inspect("repeats", ".repeating")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("“Choir” now has 4 dates.")).to_be_visible()

    first = Event.objects.earliest("start_utc")
    viewer.open(f"/admin/calendar_app/event/{first.pk}/series/")
    row = page.get_by_role("row").filter(has_text="Thursday, 4 March 2027")
    row.get_by_role("link", name="Move").click()
    page.get_by_label("New start").fill("2027-03-05 20:00")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Yes, move it").click()
    viewer.open(f"/admin/calendar_app/event/{first.pk}/series/")
    expect(page.get_by_text("moved from 4 March 2027, 19:00")).to_be_visible()
    row = page.get_by_role("row").filter(has_text="Monday, 8 March 2027")
    row.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("2027-03-08 was cancelled.")).to_be_visible()
    viewer.inspect("dates", ".planning")

    shown = Event.objects.untrashed().order_by("start_utc").values_list("start_date", flat=True)
    assert [f"{start:%d %H:%M}" for start in shown] == ["01 19:00", "05 20:00", "11 19:00"]


def test_categories_are_chosen_from_a_tree_to_which_one_is_added(viewer):
    music = CategoryFactory(name="Music")
    CategoryFactory(name="Jazz", parent=music)
    event = EventFactory()
    page = viewer.page
    viewer.open(f"/admin/calendar_app/event/{event.pk}/change/")

    page.get_by_label("Jazz").check()
    with page.expect_popup() as opened:
        page.get_by_role("link", name="New category").click()
    opened.value.get_by_label("Name").fill("Talks")
    with opened.value.expect_event("close"):
        opened.value.get_by_role("button", name="Save").first.click()
    expect(page.get_by_label("Talks")).to_be_checked()
    viewer.inspect("categories", ".field-categories")
    page.get_by_role("button", name="Save", exact=True).click()

    expect(page.get_by_text("was changed successfully")).to_be_visible()
    assert [category.name for category in event.categories.order_by("name")] == ["Jazz", "Talks"]
