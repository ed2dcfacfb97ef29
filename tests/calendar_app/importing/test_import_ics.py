import datetime as dt
from io import StringIO

import pytest
import time_machine
from django.core.management import CommandError, call_command

from calendar_app.models import Category, Event, Organizer, Venue
from calendar_app.services import posts

from ..support.factories import EventFactory, UserFactory, VenueFactory
from ..support.ics import ics

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("editor")]

ONE = "UID:a\nSUMMARY:Fair\nDTSTART;TZID=Europe/Paris:20270301T100000\nDURATION:PT1H"
WEEKLY = "UID:w\nSUMMARY:Choir\nDTSTART:20270301T190000Z\nDURATION:PT2H\nRRULE:FREQ=WEEKLY;COUNT=3"


@pytest.fixture(autouse=True)
def now():
    with time_machine.travel("2027-02-01T12:00:00Z", tick=False):
        yield


@pytest.fixture
def load(tmp_path):
    """Import a file of these events; return what was written to stdout and to stderr."""

    def load(*events, head="", **options):
        path = tmp_path / "calendar.ics"
        path.write_bytes(events[0] if isinstance(events[0], bytes) else ics(*events, head=head))
        return run(str(path), **options)

    return load


def run(source, **options):
    out, err = StringIO(), StringIO()
    options = {"user": "editor@example.org", **options}
    call_command("import_ics", source, stdout=out, stderr=err, **options)
    return out.getvalue().strip(), err.getvalue().strip()


def wall(*parts):
    return dt.datetime(*parts)


class TestEvent:
    def test_is_stored_with_its_times_and_links(self, load, editor):
        output, problems = load(
            ONE + "\nDESCRIPTION:Come\\, all\nURL:https://fair.example.org/\nLOCATION:The Barn\n"
            "GEO:51.5;-2.25\nCATEGORIES:Market,2027\nORGANIZER;CN=Ann:mailto:ann@example.org"
        )

        event = Event.objects.get()
        assert problems == ""
        assert output == (
            "Imported 1 venue (1 new), 1 organizer (1 new), 1 event (1 new) "
            "and 2 categories (2 new)."
        )
        assert (event.title, event.status, event.author) == ("Fair", "publish", editor)
        assert (event.start_date, event.timezone) == (wall(2027, 3, 1, 10), "Europe/Paris")
        assert event.end_utc == dt.datetime(2027, 3, 1, 10, tzinfo=dt.UTC)
        assert event.description == "<p>Come, all</p>"
        assert event.website == "https://fair.example.org/"
        assert event.source_id == "a"
        assert set(event.categories.values_list("name", flat=True)) == {"Market", "2027"}
        venue, organizer = event.venues.get(), event.organizers.get()
        assert (venue.name, venue.geo_lat, venue.geo_lng) == ("The Barn", 51.5, -2.25)
        assert (organizer.name, organizer.email) == ("Ann", "ann@example.org")

    @pytest.mark.parametrize("hour", [0, 1])
    def test_keeps_its_instant_when_clocks_show_its_time_twice(self, hour, load, settings):
        settings.CALENDAR_TIME_ZONE = "Europe/Paris"
        load(f"DTSTART:20271031T{hour:02}3000Z\nDURATION:PT2H", head="X-WR-TIMEZONE:Europe/Paris")
        event = Event.objects.get()
        exported = StringIO()
        call_command("export_ics", stdout=exported)
        Event.objects.all().delete()

        load(exported.getvalue().encode())

        again = Event.objects.get()
        assert again.start_date == event.start_date == wall(2027, 10, 31, 2, 30)
        assert (
            again.start_utc
            == event.start_utc
            == wall(2027, 10, 31, hour, 30).replace(tzinfo=dt.UTC)
        )
        assert again.end_utc - again.start_utc == dt.timedelta(hours=2)

    def test_of_whole_days_stays_so(self, load):
        load("DTSTART;VALUE=DATE:20270301\nDTEND;VALUE=DATE:20270303")

        event = Event.objects.get()
        assert event.all_day
        assert (event.start_date, event.end_date) == (
            wall(2027, 3, 1),
            wall(2027, 3, 2, 23, 59, 59),
        )

    def test_is_made_safe(self, load):
        load(ONE + '\nX-ALT-DESC;FMTTYPE="text/html":<p>Hi</p><script>alert(1)</script>')

        assert Event.objects.get().description == "<p>Hi</p>"

    def test_has_the_status_that_is_asked_for(self, load):
        load(ONE, status="draft")

        assert Event.objects.get().status == "draft"

    @pytest.mark.parametrize("text", ["Tidewater Hall", "tidewater hall, 3 Quay, BS1 Bristol"])
    def test_takes_place_at_a_known_venue(self, text, load):
        hall = VenueFactory(name="Tidewater Hall", address="3 Quay", zip="BS1", city="Bristol")

        load(ONE + f"\nLOCATION:{text.replace(',', chr(92) + ',')}")

        assert Event.objects.get().venues.get() == hall

    def test_takes_place_elsewhere_when_only_the_beginning_is_the_same(self, load):
        VenueFactory(name="Room 5", address="Old House")

        load(ONE + "\nLOCATION:Room 5\\, New House")

        assert Event.objects.get().venues.get().name == "Room 5, New House"

    def test_keeps_the_name_of_an_organizer_without_a_proper_address(self, load):
        load(ONE + "\nORGANIZER;CN=Ann:mailto:nobody")

        assert Organizer.objects.values("name", "email").get() == {"name": "Ann", "email": ""}

    def test_does_without_a_url_and_an_image_that_cannot_be(self, load):
        _, problems = load(
            ONE + "\nURL:ftp://example.org/\nATTACH;FMTTYPE=image/png:http://127.0.0.1/a.png"
        )

        event = Event.objects.get()
        assert (event.website, event.image_url) == ("", "")
        url, image = problems.splitlines()
        assert url == (
            "Event 'Fair' (a): its URL 'ftp://example.org/' is not an http:// or https:// address "
            "and was skipped."
        )
        assert image == (
            "Event 'Fair' (a): its image was skipped. 'http://127.0.0.1/a.png' cannot be used "
            "as the URL of an image. http://127.0.0.1/a.png leads to an address that is not public."
        )


class TestSecondImport:
    def test_of_the_same_changes_nothing(self, load):
        load(ONE + "\nLOCATION:Barn", WEEKLY)
        before = list(Event.objects.values())

        output, _ = load(ONE + "\nLOCATION:Barn\nDTSTAMP:20270202T000000Z", WEEKLY)

        assert output == "Imported 4 events (4 unchanged)."
        assert list(Event.objects.values()) == before

    def test_updates_what_has_changed_there_and_keeps_what_was_set_here(self, load):
        load(ONE)
        Event.objects.update(status="draft", featured=True)

        output, _ = load(ONE.replace("Fair", "Big fair"))

        event = Event.objects.get()
        assert output == "Imported 1 event (1 updated)."
        assert (event.title, event.status, event.featured) == ("Big fair", "draft", True)

    def test_leaves_an_unchanged_event_that_was_edited_here(self, load):
        load(ONE)
        Event.objects.update(title="Ours")

        load(ONE)

        assert Event.objects.get().title == "Ours"

    def test_leaves_in_the_trash_what_was_put_there_by_hand(self, load):
        load(ONE)
        posts.trash(Event.objects.get())

        load(ONE.replace("Fair", "Big fair"))

        assert Event.objects.get().status == "trash"

    def test_moves_a_cancelled_event_to_the_trash_and_takes_it_out_again(self, load):
        load(ONE)
        cancelled, _ = load(ONE + "\nSTATUS:CANCELLED")
        assert Event.objects.get().status == "trash"

        again, _ = load(ONE)

        assert cancelled == "Imported 1 event (1 moved to the trash)."
        assert again == "Imported 1 event (1 updated)."
        assert Event.objects.get().status == "publish"

    def test_does_not_store_a_cancelled_event_that_is_unknown(self, load):
        output, _ = load(ONE + "\nSTATUS:CANCELLED")

        assert output == "Nothing to import."
        assert not Event.objects.exists()


class TestSeries:
    def test_is_an_event_for_each_occurrence_the_first_the_parent(self, load):
        load(WEEKLY)

        first, *others = Event.objects.all()
        assert [first.source_id, first.parent] == ["w/20270301T190000Z", None]
        assert [(event.start_date.day, event.parent) for event in others] == [
            (8, first),
            (15, first),
        ]

    def test_grows_with_the_horizon(self, load):
        endless = WEEKLY.replace(";COUNT=3", "")
        load(endless, horizon=30)

        output, _ = load(endless, horizon=44)

        parent = Event.objects.first()
        assert output == "Imported 3 events (2 new, 1 unchanged)."
        assert parent.children.count() == 2

    def test_loses_the_occurrences_that_are_not_there_any_more(self, load):
        load(WEEKLY)

        output, _ = load(WEEKLY + "\nEXDATE:20270301T190000Z")

        assert output == "Imported 3 events (2 unchanged, 1 moved to the trash)."
        assert Event.objects.untrashed().count() == 2

    def test_has_a_new_parent_when_its_first_was_cancelled(self, load):
        load(WEEKLY)
        load(WEEKLY + "\nEXDATE:20270301T190000Z")

        load(WEEKLY.replace("COUNT=3", "COUNT=4") + "\nEXDATE:20270301T190000Z")

        last = Event.objects.last()
        assert last.start_date == wall(2027, 3, 22, 19)
        assert last.parent.start_date == wall(2027, 3, 8, 19)

    def test_keeps_one_event_for_an_occurrence_that_is_moved(self, load):
        load(WEEKLY)

        output, _ = load(
            WEEKLY,
            "UID:w\nSUMMARY:Choir out\nDTSTART:20270309T190000Z\nRECURRENCE-ID:20270308T190000Z",
        )

        assert output == "Imported 3 events (1 updated, 2 unchanged)."
        assert Event.objects.get(title="Choir out").source_id == "w/20270308T190000Z"

    def test_replaces_the_single_event_that_it_was(self, load):
        load(WEEKLY.replace("RRULE:FREQ=WEEKLY;COUNT=3", ""))

        load(WEEKLY)

        assert Event.objects.get(source_id="w").status == "trash"
        assert Event.objects.untrashed().count() == 3

    def test_leaves_the_events_of_a_uid_that_begins_alike(self, load):
        load(WEEKLY, ONE.replace("UID:a", "UID:w/2027"), ONE.replace("UID:a", "UID:w2"))

        load(WEEKLY)

        assert Event.objects.untrashed().count() == 5


class TestCommand:
    def test_does_nothing_in_a_dry_run_but_says_what_it_would_do(self, load):
        output, _ = load(ONE + "\nLOCATION:Barn\nCATEGORIES:Market", WEEKLY, dry_run=True)

        assert output == "Would import 1 venue (1 new), 4 events (4 new) and 1 category (1 new)."
        for model in (Event, Venue, Category):
            assert not model.objects.exists()

    def test_names_what_it_leaves_out_and_goes_on(self, load):
        output, problems = load("UID:x\nSUMMARY:Bad\nDTSTART:soon", ONE)

        assert output == "Imported 1 event (1 new). 1 problem, shown above."
        assert problems.startswith("Event 'Bad' (UID x) was skipped: its DTSTART is invalid")

    def test_names_what_the_calendar_rejects_and_goes_on(self, load):
        output, problems = load(ONE.replace("UID:a", "UID:x").replace("Fair", "<b></b>"), ONE)

        assert output == "Imported 1 event (1 new). 1 problem, shown above."
        assert "was skipped: " in problems

    def test_fails_when_it_can_import_nothing(self, load):
        with pytest.raises(
            CommandError, match=r"^Nothing was imported\. 1 problem, shown above\.$"
        ):
            load("UID:x\nSUMMARY:Bad\nDTSTART:soon")

    def test_refuses_a_file_that_is_not_a_calendar(self, load):
        with pytest.raises(CommandError, match=r"calendar\.ics: The file is not valid iCalendar: "):
            load(b"<html></html>")

    def test_refuses_what_is_too_large(self, load, settings):
        settings.CALENDAR_ICAL_MAX_BYTES = 100

        with pytest.raises(CommandError, match="is larger than 100 bytes"):
            load(ONE)

    def test_refuses_a_file_that_is_not_there(self, tmp_path):
        with pytest.raises(CommandError, match="cannot be read: No such file or directory"):
            run(str(tmp_path / "none.ics"))

    @pytest.mark.parametrize("days", [0, 100_000])
    def test_refuses_an_invalid_horizon(self, days, load):
        with pytest.raises(
            CommandError, match=f"--horizon must be from 1 to 3660 days, not {days}"
        ):
            load(ONE, horizon=days)

    def test_wants_an_editor(self, load):
        UserFactory(role="Author", email="author@example.org")

        with pytest.raises(CommandError, match="is not an editor"):
            load(ONE, user="author@example.org")

    def test_writes_in_the_name_of_the_superuser_when_no_user_is_named(self, load):
        with pytest.raises(CommandError, match="There is no superuser"):
            load(ONE, user=None)
        superuser = UserFactory(is_superuser=True)

        load(ONE, user=None)

        assert Event.objects.get().author == superuser

    def test_fetches_a_url_of_the_operators_own_network(self, site):
        site.page("/feed.ics", ics(ONE), content_type="text/calendar")

        assert run(site.url("/feed.ics")) == ("Imported 1 event (1 new).", "")

    def test_takes_images_from_the_private_host_of_a_url(self, site):
        image = f"ATTACH;FMTTYPE=image/png:{site.url('/a.png')}"
        site.page("/feed.ics", ics(f"{ONE}\n{image}"), content_type="text/calendar")

        assert run(site.url("/feed.ics"))[1] == ""

        assert Event.objects.get().image_url == site.url("/a.png")

    def test_says_why_a_url_gives_nothing(self, site):
        with pytest.raises(CommandError, match="answered with status 404"):
            run(site.url("/none.ics"))


@pytest.mark.parametrize("website", ["", "https://fair.example.org/", "http://localhost/event/b/"])
def test_what_was_exported_is_imported_as_it_was(website, tmp_path):
    EventFactory(
        title="Fair; loud",
        description="<p>Come &amp; see</p>",
        website=website,
        timezone="Europe/Paris",
        venues=[VenueFactory(name="Hall", city="Bristol")],
    )
    path = tmp_path / "out.ics"
    call_command("export_ics", output=str(path))
    before = Event.objects.values(
        *("title", "description", "website", "slug", "start_date", "end_date"),
        *("timezone", "start_utc"),
    ).get()
    Event.objects.all().delete()

    run(str(path))

    again = Event.objects.values(*before).get()
    assert again == before
    assert Event.objects.get().venues.get().city == "Bristol"
