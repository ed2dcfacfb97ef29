"""The form of an event in a browser: what it says while somebody types."""

import pytest
from playwright.sync_api import expect

from ..support.factories import EventFactory, VenueFactory

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
