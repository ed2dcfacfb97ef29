"""The history of an event in a browser: looked at, and a version restored."""

import pytest
from playwright.sync_api import expect

from calendar_app.models import Event
from calendar_app.services import posts

from ..support.api_client import P, client_of
from ..support.factories import CategoryFactory, EventFactory, UserFactory, VenueFactory

pytestmark = pytest.mark.django_db(transaction=True)

TEXT = "The school's choir sings songs of the sea and of the harbour, and everybody may join in."


def test_somebody_finds_out_what_became_of_an_event_and_takes_it_back(viewer):
    hall, mill = VenueFactory(name="Town hall"), VenueFactory(name="Old Mill")
    event = EventFactory(title="Spring concert", venues=[hall], description=f"<p>{TEXT}</p>")
    ann = client_of(UserFactory(role="Editor", username="ann@example.org"))
    for fields in (
        {"description": f"<p>{TEXT.replace('songs', 'shanties')} Entry is free.</p>"},
        {"categories": [CategoryFactory(name="Music").pk], "cost": "5", "featured": True},
        {"venue": [mill.pk], "start_date": "2027-03-02 19:00", "end_date": "2027-03-02 21:00"},
        {"title": "Spring party", "custom_fields": {"colour": "red"}, "post_password": "x"},
    ):
        ann.patch(f"{P}/events/{event.pk}", fields, format="json")
    event.refresh_from_db()
    posts.trash(event)
    page = viewer.page

    viewer.open(f"/admin/calendar_app/event/{event.pk}/change/")
    page.locator("a[href$='/history/']").click()
    expect(page.get_by_text("ann@example.org")).to_have_count(4)
    expect(page.get_by_text("“Town hall”").first).to_be_visible()
    viewer.inspect("history", ".history")
    page.get_by_role("listitem").filter(has_text="shanties").get_by_role("link").click()
    expect(page.get_by_text("Status")).to_be_visible()
    viewer.inspect("version", ".history")
    page.get_by_role("button", name="Restore this version").click()

    expect(page.get_by_text("“Spring concert” is what it was again.")).to_be_visible()
    event = Event.objects.get()
    assert (event.title, event.status, event.cost) == ("Spring concert", "publish", "")
    assert list(event.venues.all()) == [hall]
    assert event.is_protected
