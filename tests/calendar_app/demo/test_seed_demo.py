import datetime as dt
import tomllib
from io import StringIO
from tempfile import TemporaryDirectory

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.test import TestCase, override_settings

from calendar_app.demo import posters, seeding
from calendar_app.models import Category, Event, Image, Organizer, Tag, Venue
from calendar_app.values import cost, html

from ..support.factories import UserFactory

TODAY = "2027-03-10T12:00:00Z"


def seed(**options):
    output = StringIO()
    call_command("seed_demo", stdout=output, **options)
    return output.getvalue().strip()


class TestSeedDemo(TestCase):
    @classmethod
    def setUpTestData(cls):
        media = cls.enterClassContext(TemporaryDirectory())
        cls.enterClassContext(override_settings(MEDIA_ROOT=media))
        cls.editor = UserFactory()
        with time_machine.travel(TODAY, tick=False):
            cls.output = seed(user=cls.editor.email)

    def test_says_what_it_made(self):
        assert (
            self.output
            == "Created 60 events, 8 venues, 6 organizers, 20 categories, 19 tags and 5 images."
        )
        assert Event.objects.count() == 60

    def test_a_second_run_makes_nothing(self):
        before = list(Event.objects.values())

        with time_machine.travel("2027-05-01T12:00:00Z", tick=False):
            assert seed() == "Nothing to create: the demo calendar is complete."

        assert list(Event.objects.values()) == before

    def test_what_is_missing_is_made_again_in_its_place(self):
        lost = Event.objects.get(source_id="demo:harbour-festival")
        lost.delete()

        with time_machine.travel(TODAY, tick=False):
            assert seed() == "Created 1 event."

        found = Event.objects.get(source_id="demo:harbour-festival")
        assert found.start_date == lost.start_date

    def test_events_that_repeat_are_series_with_a_date_moved_and_one_cancelled(self):
        jazz = Event.objects.get(source_id="demo:foyer-jazz").series
        pots = Event.objects.get(source_id="demo:wheel-thrown-pots-for-beginners").series

        assert (jazz.rrule, pots.rrule) == ("FREQ=MONTHLY;BYDAY=4TH;COUNT=8", "FREQ=WEEKLY;COUNT=6")
        starts = list(jazz.events.order_by("start_utc").values_list("start_date", flat=True))
        assert [f"{start:%m-%d}" for start in starts[:3]] == ["02-25", "03-25", "04-22"]
        days = [event.start_date - event.original_start for event in pots.events.all()]
        assert sorted(days) == [dt.timedelta()] * 5 + [dt.timedelta(days=1)]
        cancelled = pots.events.get(status="trash")
        assert pots.exdates == [f"{cancelled.original_start}"]

    def test_events_lie_between_the_past_month_and_next_year(self):
        first, last = Event.objects.earliest("start_utc"), Event.objects.latest("end_utc")

        assert first.start_date == dt.datetime(2027, 2, 13, 9)
        assert last.end_utc == dt.datetime(2028, 2, 27, 0, tzinfo=dt.UTC)

    def test_every_kind_of_event_is_there(self):
        events = Event.objects.all()

        assert {event.timezone for event in events} == {
            "America/New_York", "Europe/London", "Europe/Paris", "UTC", "UTC+1",
        }  # fmt: skip
        assert [event.title for event in events if event.is_protected] == [
            "Members' Preview: The New Season"
        ]
        assert events.filter(status="draft").count() == 1
        assert events.filter(hide_from_listings=True).count() == 1
        assert events.filter(all_day=True).count() == 3
        assert events.filter(featured=True).exists()

    def test_the_password_opens_the_protected_event(self):
        protected = Event.objects.exclude(password="").get()

        assert protected.check_password("mainsail")

    def test_categories_are_a_tree_and_are_counted(self):
        jazz = Category.objects.get(slug="jazz")

        assert jazz.parent.name == "Music"
        assert jazz.count == 9
        assert not Tag.objects.filter(count=0).exists()

    def test_records_belong_to_the_user_who_is_named(self):
        for model in (Event, Venue, Organizer, Image):
            assert set(model.objects.values_list("author", flat=True)) == {self.editor.pk}

    def test_posters_are_images_of_their_own(self):
        run = Event.objects.get(source_id="demo:harbour-lights-night-run")

        assert (run.image.width, run.image.height) == (1200, 800)
        assert set(run.image.sizes) == {"thumbnail", "medium"}
        assert run.image == Event.objects.get(source_id="demo:harbour-festival").image


def test_an_unknown_user_is_refused(db):
    with pytest.raises(
        CommandError, match=r"No user has the e-mail address or user name 'x@example\.org'"
    ):
        seed(user="x@example.org")


class TestProgramme:
    entries = [
        entry
        for name in ("series.toml", "programme.toml")
        for entry in tomllib.loads((seeding.HERE / name).read_text())["events"]
    ]

    def test_gives_each_event_a_title_of_its_own(self):
        assert len({entry["title"] for entry in self.entries}) == len(self.entries)

    def test_uses_each_poster(self):
        used = {entry["picture"] for entry in self.entries if "picture" in entry}

        assert used == set(posters.PALETTES)

    def test_holds_what_a_write_through_the_api_would_have_stored(self):
        for entry in self.entries:
            assert html.rich_text(entry["text"]) == entry["text"]
            assert cost.parse(entry.get("cost", "")).text == entry.get("cost", "")
