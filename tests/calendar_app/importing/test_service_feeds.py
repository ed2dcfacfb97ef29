"""Feeds whose address is that of another calendar's API, which may say what it likes."""

import datetime as dt
from io import StringIO

import orjson
import pytest
from django.core.management import call_command
from django.urls import reverse

from calendar_app.importing import remote_calendar
from calendar_app.models import Event, Feed, FeedEvent, Status, Venue

from ..support.api_client import P, client_of
from ..support.factories import CategoryFactory, EventFactory, OrganizerFactory, VenueFactory
from ..support.feeds import counts, run

pytestmark = pytest.mark.django_db
NOW = dt.datetime(2027, 2, 1, 12, tzinfo=dt.UTC)
API = "/wp-json/tribe/events/v1"
FAIR = {
    "id": 1,
    "global_id": "127.0.0.1?id=1",
    "title": "Fair &amp; feast",
    "status": "publish",
    "start_date": "2027-03-01 10:00:00",
    "end_date": "2027-03-01 11:00:00",
    "timezone": "UTC",
}
TALK = FAIR | {"id": 2, "global_id": "127.0.0.1?id=2", "title": "Talk"}
OVER = FAIR | {
    "id": 3,
    "global_id": "127.0.0.1?id=3",
    "title": "Over",
    "start_date": "2027-01-31 10:00:00",
    "end_date": "2027-01-31 11:00:00",
}


@pytest.fixture(autouse=True)
def now(time_machine, monkeypatch):
    time_machine.move_to(NOW, tick=False)
    monkeypatch.setattr(remote_calendar, "PAUSE_SECONDS", 0)


@pytest.fixture
def publish(published_site):
    """A function that lets the service have these events, and no categories."""

    def publish(*events):
        for name, records in (("events", events), ("categories", [])):
            body = orjson.dumps({name: records, "total_pages": 1})
            published_site.page(f"{API}/{name}", body)

    return publish


@pytest.fixture
def feed(editor, published_site):
    return Feed.objects.create(
        name="Town", kind=Feed.Kind.SERVICE, url=published_site.url(API), owner=editor
    )


def statuses():
    return dict(Event.objects.values_list("title", "status"))


def test_its_events_are_made_changed_and_left_alone(feed, publish, published_site):
    office, school = OrganizerFactory(name="Office"), CategoryFactory(name="School")
    feed.categories.add(school)
    publish(FAIR, TALK)

    first = run(feed, organizer=office, event_status=Status.DRAFT)
    second = run(feed)
    publish(FAIR | {"title": "Fête", "modified_utc": "2027-02-01"}, TALK)
    third = run(feed)

    assert [counts(each) for each in (first, second, third)] == [
        *((2, 0, 0, 0), (0, 0, 0, 0), (0, 1, 0, 0)),
    ]
    assert statuses() == {"Fête": "draft", "Talk": "draft"}
    event = Event.objects.get(title="Fête")
    assert ([*event.organizers.all()], [*event.categories.all()]) == ([office], [school])
    assert FeedEvent.objects.filter(feed=feed).count() == 2
    asked = [path for path, _ in published_site.seen if "/events?" in path]
    assert "start_date=2027-01-31" in asked[0]


def test_what_the_api_of_this_project_answers_is_read_with_all_that_is_linked(feed, published_site):
    hall = VenueFactory(name="Hall", city="Ulm")
    EventFactory(title="Fair", venues=[hall], categories=[CategoryFactory(name="Music")])
    for name in ("events", "categories"):
        body = client_of().get(
            f"{P}/{name}?hide_empty=0&start_date=2027-01-01", headers={"host": "127.0.0.1"}
        )
        published_site.page(f"{P}/{name}", body.content)
    Event.objects.all().delete()
    Venue.objects.all().delete()

    found = run(feed, url=published_site.url(P))

    assert (counts(found), found.problem) == ((1, 0, 0, 0), "")
    event = Event.objects.get()
    assert event.venues.get().city == "Ulm"
    assert event.categories.get().name == "Music"


@pytest.mark.parametrize(("gone", "fair"), [("keep", Status.PUBLISH), ("trash", Status.TRASH)])
def test_what_it_no_longer_has_stays_or_goes_but_only_if_it_is_yet_to_come(
    feed, publish, gone, fair
):
    publish(FAIR, TALK, OVER)
    run(feed, gone=gone)
    EventFactory(title="Ours")
    publish(TALK)

    run(feed)

    others = dict.fromkeys(("Talk", "Over", "Ours"), Status.PUBLISH)
    assert statuses() == others | {"Fair & feast": fair}
    publish(FAIR, TALK)
    run(feed)
    assert statuses() == others | {"Fair & feast": Status.PUBLISH}
    publish()
    assert ("is empty" in run(feed).problem) is (gone == "trash")


def test_a_service_is_previewed_and_imported_by_command(feed, publish, client, editor):
    editor.is_staff = True
    editor.save()
    client.force_login(editor)
    publish(FAIR)

    page = client.get(reverse("admin:calendar_app_feed_preview", args=[feed.pk]))
    assert "An import would find 1 event (1 new)." in page.content.decode()
    assert not Event.objects.exists()
    output = StringIO()
    call_command("import_feeds", "Town", stdout=output)
    assert output.getvalue() == "Town: 1 made, 0 changed, 0 trashed, 0 skipped.\n"


def test_an_address_that_no_service_has_is_refused(client, editor):
    url = "https://93.184.216.34/?rest_route=/tribe/events/v1"
    editor.is_staff = True
    editor.save()
    client.force_login(editor)
    form = {"name": "Town", "kind": "service", "url": url, "every": 24, "event_status": "draft"}

    answer = client.post(reverse("admin:calendar_app_feed_add"), form | {"gone": "keep"})

    assert "has a query, and the URL of a service has none." in answer.content.decode()
    assert not Feed.objects.exists()


@pytest.mark.attack
class TestAttack:
    def test_no_private_address_is_read(self, feed, site, monkeypatch, names):
        monkeypatch.undo()
        problem = run(feed).problem
        assert "leads to an address that is not public" in problem
        names.add("calendar.example", "10.0.0.1")
        run(feed, url=f"http://calendar.example:{site.port}/api")
        assert site.seen == []

    def test_no_redirect_is_followed(self, feed, published_site):
        published_site.redirect(f"{API}/events", "http://127.0.0.1:1/secrets")
        assert "a redirect to 'http://127.0.0.1:1/secrets'" in run(feed).problem
        assert len(published_site.seen) == 1

    @pytest.mark.parametrize("pages", [1, 3])
    def test_a_giant_is_cut_off_however_many_pages_it_has(
        self, pages, feed, published_site, settings
    ):
        settings.CALENDAR_ICAL_MAX_BYTES = 2000
        body = [FAIR | {"id": n, "description": "x" * 600} for n in range(3 // pages)]

        def answer(handler, asked=[]):  # noqa: B006
            asked.append(1)
            text = orjson.dumps({"events": [*body, len(asked)], "total_pages": 9})
            handler.send_response(200)
            handler.send_header("Content-Length", str(len(text)))
            handler.end_headers()
            handler.wfile.write(text)

        published_site.pages[f"{API}/events"] = answer
        assert "is larger than" in run(feed).problem
        assert not Event.objects.exists()

    def test_pages_without_an_end_are_cut_off(self, feed, published_site, settings, time_machine):
        time_machine.move_to(NOW)
        settings.CALENDAR_FEED_SECONDS = 1
        published_site.page(f"{API}/events", status=503)
        found = run(feed)
        assert found.failures == 1

    @pytest.mark.parametrize("takes_over", [True, False])
    @pytest.mark.parametrize("status", ["publish", "trash"])
    def test_no_event_of_another_feed_is_changed(self, feed, publish, editor, takes_over, status):
        other = Feed.objects.create(name="School", url="https://school.example/x", owner=editor)
        theirs = EventFactory(title="Theirs", source_id="127.0.0.1?id=1")
        FeedEvent.objects.create(feed=other, event=theirs)
        publish(FAIR | {"status": status}, TALK)

        found = run(feed, takes_over=takes_over, gone="trash")

        assert "its event belongs to the feed “School”" in found.problem
        assert statuses() == {"Theirs": "publish", "Talk": "publish"}

    def test_no_service_speaks_for_another_host(self, feed, publish):
        """Neither of its events, nor of its venues, though the feed takes over what is its own."""
        hall = VenueFactory(name="Hall", city="Ulm", source_id="town.example?id=7")
        EventFactory(title="Theirs", source_id="town.example/city?id=1")
        venue = {"id": 7, "global_id": hall.source_id, "venue": "Hall", "city": "Forged"}
        publish(
            FAIR | {"global_id": "town.example/city?id=1", "venue": venue},
            TALK | {"global_id": "town.example/city?id=1", "status": "trash"},
        )

        run(feed, takes_over=True)

        assert statuses() == {"Theirs": "publish", "Fair & feast": "publish"}
        hall.refresh_from_db()
        assert hall.city == "Ulm"

    def test_nothing_is_decided_but_by_this_site(self, feed, publish):
        parent = EventFactory(title="Ours")
        forged = {"status": "private", "featured": True, "sticky": True, "post_password": "x"}
        publish(FAIR | forged | {"post_parent": parent.pk, "hide_from_listings": True})

        run(feed, event_status=Status.DRAFT)

        event = Event.objects.exclude(pk=parent.pk).get()
        assert (event.status, event.parent, event.password) == ("draft", None, "")
        assert {event.featured, event.sticky, event.hide_from_listings} == {False}
