"""A series goes out as one rule with its exceptions, and comes back as the same series."""

import datetime as dt
from io import StringIO

import icalendar
import pytest
import recurring_ical_events
import time_machine
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calendar_app.ical.series import groups
from calendar_app.models import Event, Series
from calendar_app.services import posts, series
from calendar_app.services.series import Rule, Scope

from ..support.api_client import P, client_of
from ..support.factories import EventFactory, UserFactory, VenueFactory
from ..support.ics import ics

pytestmark = pytest.mark.django_db

MONDAY = dt.datetime(2027, 3, 1, 19)
DAY = dt.timedelta(days=1)
WEEK = 7 * DAY
HOURS = dt.timedelta(hours=2)


@pytest.fixture(autouse=True)
def now(settings):
    settings.CALENDAR_BASE_URL = "https://cal.example.org"
    with time_machine.travel("2027-02-01T12:00:00Z", tick=False):
        yield


def choir(rrule="FREQ=WEEKLY;COUNT=5", rdates=(), **fields):
    values = {"title": "Choir", "start_date": MONDAY, "timezone": "Europe/Paris", **fields}
    event = Event(end_date=values["start_date"] + HOURS, **values)
    series.create(event, Rule(rrule, tuple(rdates)), venues=[VenueFactory(name="Hall")])
    return events()


def events():
    return list(Event.objects.untrashed().order_by("start_utc"))


def move(event, start):
    event.start_date, event.end_date = start, start + HOURS
    series.save(event, Scope.ONE)


def exported(**options):
    out = StringIO(newline="")
    call_command("export_ics", stdout=out, **options)
    return out.getvalue()


def told(content):
    """Return the (start, title) of all occurrences, as another library reckons them."""
    calendar = icalendar.Calendar.from_ical(content)
    found = recurring_ical_events.of(calendar).between((2026, 1, 1), (2030, 1, 1))
    return sorted((_utc(each.start), str(each["SUMMARY"])) for each in found)


def _utc(start):
    is_moment = isinstance(start, dt.datetime)
    return (
        start.astimezone(dt.UTC)
        if is_moment
        else dt.datetime(*start.timetuple()[:3], tzinfo=dt.UTC)
    )


def stored():
    return [(event.start_utc, event.title) for event in events()]


def reimported(content, tmp_path):
    """Import content into the calendar, from which all events were deleted before."""
    UserFactory(role="Editor", email="editor@example.org")
    Event.objects.all().delete()
    Series.objects.all().delete()
    path = tmp_path / "feed.ics"
    path.write_text(content, newline="")
    call_command("import_ics", str(path), user="editor@example.org", stdout=StringIO())


class TestExport:
    def test_is_one_event_with_a_rule(self):
        choir()

        [entry] = icalendar.Calendar.from_ical(exported()).events

        assert entry["UID"] == Series.objects.get().uid
        assert entry["RRULE"].to_ical() == b"FREQ=WEEKLY;COUNT=5"
        assert entry["DTSTART"].params["TZID"] == "Europe/Paris"
        assert str(entry["LOCATION"]) == "Hall"
        assert told(exported()) == stored()

    def test_has_an_event_for_each_date_that_differs_and_lacks_the_cancelled(self):
        found = choir()
        move(found[1], MONDAY + WEEK + DAY)
        series.cancel(found[2])

        master, moved = icalendar.Calendar.from_ical(exported()).events

        assert master["EXDATE"].dts[0].dt.replace(tzinfo=None) == MONDAY + 2 * WEEK
        assert moved["RECURRENCE-ID"].dt.replace(tzinfo=None) == MONDAY + WEEK
        assert told(exported()) == stored()

    @pytest.mark.parametrize(
        "fields", [{"timezone": "UTC"}, {"timezone": "UTC+5"}, {"all_day": True}]
    )
    def test_tells_the_dates_of_every_kind_of_time(self, fields):
        choir("FREQ=WEEKLY;BYDAY=MO;UNTIL=20270501", **fields, start_date=MONDAY.replace(hour=2))

        found = told(exported())

        if "all_day" in fields:
            assert [start.date() for start, _ in found] == [e.start_date.date() for e in events()]
        else:
            assert found == stored()

    def test_leaves_out_what_is_not_public(self):
        found = choir()
        found[1].status = "draft"
        series.save(found[1], Scope.ONE)
        posts.trash(found[2])

        assert told(exported()) == [each for each in stored() if each[0] != found[1].start_utc]

    def test_tells_no_more_of_a_protected_date(self):
        found = choir()
        found[1].set_password("x")
        found[1].description = "secret"
        series.save(found[1], Scope.ONE)

        assert "secret" not in exported()
        assert told(exported()) == stored()

    def test_of_the_api_is_whole_in_lists_and_single_for_one_event(self):
        found = choir()
        client = client_of()

        listed = client.get(f"{P}/events?format=ics&start_date=2027-03-20").content.decode()
        single = client.get(f"{P}/events/{found[1].pk}?format=ics").content.decode()

        assert told(listed) == stored()
        assert told(single) == stored()[1:2]

    def test_takes_as_many_queries_for_three_series_as_for_one(self, django_assert_max_num_queries):
        for number in range(3):
            found = choir(title=f"Choir {number}")
            found[1].title = "Concert"
            series.save(found[1], Scope.ONE)

        with django_assert_max_num_queries(16):
            exported(start="2027-03-25")

    def test_of_other_events_takes_no_more_queries(self, django_assert_num_queries):
        EventFactory()
        found = events()

        with django_assert_num_queries(0):
            assert groups(found) == {}

    def test_names_a_cancelled_date_to_mirrors(self):
        found = choir()
        with time_machine.travel("2027-02-02T12:00:00Z", tick=False):
            series.cancel(found[1])

        answer = client_of().get(f"{P}/events?format=ics&modified_after=2027-02-01T13:00:00Z")

        [entry] = [
            each
            for each in icalendar.Calendar.from_ical(answer.content).events
            if each.get("STATUS") == "CANCELLED"
        ]
        assert entry["UID"] == Series.objects.get().uid
        assert entry["RECURRENCE-ID"].dt == found[1].start_utc


class TestRoundTrip:
    def test_gives_the_same_series(self, tmp_path):
        found = choir("FREQ=WEEKLY;COUNT=60", rdates=[MONDAY + 3 * DAY])
        move(found[2], MONDAY + WEEK + 2 * DAY)
        series.cancel(found[4])
        before, rule = stored(), Series.objects.values("uid", "rrule", "timezone", "start").get()

        reimported(exported(), tmp_path)

        assert stored() == before
        assert Series.objects.values("uid", "rrule", "timezone", "start").get() == rule
        assert [event.is_override for event in events()][:5] == [False, False, True, False, False]
        assert exported().count("BEGIN:VEVENT") == 2

    def test_is_recognised_where_it_came_from(self, tmp_path):
        choir()
        reimported(exported(), tmp_path)
        ids = [event.pk for event in events()]

        path = tmp_path / "again.ics"
        path.write_text(exported(), newline="")
        call_command("import_ics", str(path), user="editor@example.org", stdout=StringIO())

        assert [event.pk for event in events()] == ids
        assert Series.objects.count() == 1

    @settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(
        rule=st.sampled_from(
            [
                "FREQ=DAILY;INTERVAL=3",
                "FREQ=WEEKLY;BYDAY=MO,TH",
                "FREQ=MONTHLY",
                "FREQ=MONTHLY;BYDAY=1MO",
            ]
        ),
        end=st.sampled_from(["COUNT=6", "COUNT=12", "UNTIL=20270701"]),
        cancelled=st.sets(st.integers(0, 5), max_size=2),
        moved=st.sets(st.integers(0, 5), max_size=2),
        zone=st.sampled_from(["Europe/Paris", "America/New_York", "UTC"]),
    )
    def test_gives_the_same_dates_for_any_rule(self, rule, end, cancelled, moved, zone, tmp_path):
        Event.objects.all().delete()
        Series.objects.all().delete()
        found = choir(f"{rule};{end}", timezone=zone)
        for number in moved - cancelled:
            if number < len(found):
                move(found[number], found[number].start_date + dt.timedelta(hours=3))
        for number in cancelled:
            if number < len(found):
                series.cancel(Event.objects.get(pk=found[number].pk))
        before = stored()

        content = exported()

        assert told(content) == before
        reimported(content, tmp_path)
        assert stored() == before
        assert Series.objects.exists()


class TestImport:
    def load(self, tmp_path, *entries):
        path = tmp_path / "in.ics"
        path.write_bytes(ics(*entries))
        UserFactory(role="Editor", email="editor@example.org")
        call_command("import_ics", str(path), user="editor@example.org", stdout=StringIO())

    WEEKLY = "UID:w\nSUMMARY:Choir\nDTSTART:20270301T190000Z\nDURATION:PT2H\nRRULE:FREQ=WEEKLY"

    def test_keeps_the_rule_and_goes_on_with_it(self, tmp_path, settings):
        self.load(tmp_path, self.WEEKLY)
        made = len(events())
        only = Series.objects.get()
        assert (only.uid, only.rrule, only.timezone) == ("w", "FREQ=WEEKLY", "UTC")

        with time_machine.travel("2027-03-01T12:00:00Z", tick=False):
            assert series.extend_due() == 4

        last = events()[-1]
        assert len(events()) == made + 4
        assert last.source_id == f"w/{last.start_utc:%Y%m%dT%H%M%SZ}"
        assert last.parent == events()[0]

    @pytest.mark.parametrize(
        "rule",
        ["RRULE:FREQ=DAILY;BYHOUR=9,19;COUNT=3", "RRULE:FREQ=WEEKLY;BYDAY=TU;COUNT=3"],
    )
    def test_of_a_rule_that_cannot_be_kept_stores_its_events_alone(self, rule, tmp_path):
        self.load(tmp_path, self.WEEKLY.replace("RRULE:FREQ=WEEKLY", rule))

        assert events()
        assert not Series.objects.exists()
