import datetime as dt
from bisect import bisect_right
from zoneinfo import ZoneInfo, available_timezones

import icalendar
import pytest
from django.contrib.auth.models import AnonymousUser
from hypothesis import given
from hypothesis import strategies as st
from icalendar.parser import unescape_backslash

from calendar_app.api.representations import Urls, load
from calendar_app.ical.vtimezone import timezones
from calendar_app.ical.writer import calendar
from calendar_app.models import Event, Image
from calendar_app.services import posts

from ..support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)

URLS = Urls("https://cal.example.org")


def written(events, **options):
    return read(load(events, AnonymousUser()), **options)


def read(events, **options):
    return icalendar.Calendar.from_ical(calendar(events, URLS, name="City", **options))


def vevent(event, **options):
    return written([event], **options).events[0]


def texts(component):
    return {
        name: str(value) for name, value in component.items() if isinstance(value, icalendar.vText)
    }


def told_by(zone):
    """Return what a VTIMEZONE tells: the instants of its changes, and the offsets from them on."""
    changes = {
        change.DTSTART.replace(tzinfo=dt.timezone(change.TZOFFSETFROM)): change.TZOFFSETTO
        for change in zone.subcomponents
    }
    return sorted(changes), [changes[onset] for onset in sorted(changes)]


@pytest.mark.django_db
class TestCalendar:
    def test_says_what_it_is(self, settings):
        settings.CALENDAR_TIME_ZONE = "Europe/Paris"

        result = written([])

        assert result["VERSION"] == "2.0"
        assert result["X-WR-CALNAME"] == "City"
        assert result["X-WR-TIMEZONE"] == "Europe/Paris"
        assert result["REFRESH-INTERVAL"].dt == dt.timedelta(hours=1)
        assert result["REFRESH-INTERVAL"].params["VALUE"] == "DURATION"
        assert str(result["X-PUBLISHED-TTL"]) == "PT1H"
        assert result.events == []

    def test_lines_end_as_the_rfc_wants_and_are_folded(self):
        event = EventFactory(title="Straße " * 40)

        lines = calendar(load([event], AnonymousUser()), URLS).split(b"\r\n")

        assert lines[0] == b"BEGIN:VCALENDAR"
        assert lines[-2:] == [b"END:VCALENDAR", b""]
        assert max(map(len, lines)) <= 75

    def test_holds_each_zone_that_is_used_once(self):
        events = [
            EventFactory(timezone=name)
            for name in ("Europe/Paris", "Europe/Paris", "America/New_York", "UTC", "UTC+2")
        ]

        result = written([*events, EventFactory(timezone="Asia/Tokyo", all_day=True)])

        names = [str(zone["TZID"]) for zone in result.timezones]
        assert names == ["America/New_York", "Europe/Paris"]

    def test_takes_as_many_queries_for_three_as_for_one(self, django_assert_num_queries):
        for _ in range(3):
            EventFactory(
                venues=[VenueFactory()],
                organizers=[OrganizerFactory()],
                categories=[CategoryFactory()],
            )
        for count in (1, 3):
            events = load(Event.objects.all()[:count], AnonymousUser())

            with django_assert_num_queries(0):
                calendar(events, URLS, name="City")


@pytest.mark.django_db
class TestTimes:
    def test_are_those_of_the_zone(self):
        event = EventFactory(
            start_date=dt.datetime(2027, 7, 1, 20),
            end_date=dt.datetime(2027, 7, 1, 22, 30),
            timezone="Europe/Paris",
        )

        entry = vevent(event)

        paris = ZoneInfo("Europe/Paris")
        assert entry["DTSTART"].params["TZID"] == "Europe/Paris"
        assert entry.start == dt.datetime(2027, 7, 1, 20, tzinfo=paris)
        assert entry.end == dt.datetime(2027, 7, 1, 22, 30, tzinfo=paris)

    @pytest.mark.parametrize("name", ["UTC", "UTC+2", "UTC-5.5"])
    def test_of_a_fixed_offset_are_in_utc(self, name):
        event = EventFactory(timezone=name)

        line = calendar(load([event], AnonymousUser()), URLS)

        assert f"DTSTART:{event.start_utc:%Y%m%dT%H%M%SZ}\r\n".encode() in line

    @pytest.mark.parametrize(
        ("start", "end", "lines"),
        [
            (2, 4, (b"DTSTART:20271031T003000Z", b"DTEND;TZID=Europe/Paris:20271031T043000")),
            (0, 2, (b"DTSTART;TZID=Europe/Paris:20271031T003000", b"DTEND:20271031T003000Z")),
        ],
    )
    def test_that_clocks_show_twice_are_in_utc(self, start, end, lines):
        event = EventFactory(
            start_date=dt.datetime(2027, 10, 31, start, 30),
            end_date=dt.datetime(2027, 10, 31, end, 30),
            timezone="Europe/Paris",
        )

        content = calendar(load([event], AnonymousUser()), URLS)

        assert all(line in content.split(b"\r\n") for line in lines)

    def test_of_whole_days_are_days_and_the_end_is_the_day_after(self):
        event = EventFactory(
            start_date=dt.datetime(2027, 7, 1), end_date=dt.datetime(2027, 7, 3), all_day=True
        )

        entry = vevent(event)

        assert (entry.start, entry.end) == (dt.date(2027, 7, 1), dt.date(2027, 7, 4))

    def test_of_an_event_without_length_are_a_start_alone(self):
        moment = dt.datetime(2027, 7, 1, 20)

        entry = vevent(EventFactory(start_date=moment, end_date=moment))

        assert "DTEND" not in entry

    @pytest.mark.parametrize("all_day", [True, False])
    def test_of_the_first_and_of_the_last_year_can_be_written(self, all_day):
        event = EventFactory(
            start_date=dt.datetime(1, 1, 1),
            end_date=dt.datetime(9999, 12, 31, 23, 59, 59),
            all_day=all_day,
            timezone="Europe/Paris",
        )

        assert vevent(event)["DTSTART"].to_ical()[:8] == b"00010101"


class TestZones:
    def test_tell_the_time_of_every_place_for_the_next_five_years(self):
        year = dt.datetime.now(dt.UTC).year
        names = sorted(name for name in available_timezones() if "/" in name)
        begin = dt.datetime(year, 1, 1, tzinfo=dt.UTC)
        moments = [begin + n * dt.timedelta(days=5) for n in range(365)]

        found = timezones(dict.fromkeys(names, (year, year + 4)))

        assert [str(zone["TZID"]) for zone in found] == names
        for name, zone in zip(names, found, strict=True):
            onsets, offsets = told_by(zone)
            edges = [onset - dt.timedelta(seconds=n) for onset in onsets[1:] for n in (0, 1)]
            told = [offsets[bisect_right(onsets, m) - 1] for m in moments + edges]
            place = ZoneInfo(name)
            assert told == [m.astimezone(place).utcoffset() for m in moments + edges], name

    def test_have_an_observance_for_each_change(self):
        # Programs read the first value of an RDATE only, or forget the DTSTART beside it.
        (zone,) = timezones({"Europe/Paris": (2027, 2027)})

        assert [change.DTSTART for change in zone.subcomponents] == [
            dt.datetime(2026, 1, 1, 1),
            dt.datetime(2026, 3, 29, 2),
            dt.datetime(2026, 10, 25, 3),
            dt.datetime(2027, 3, 28, 2),
            dt.datetime(2027, 10, 31, 3),
            dt.datetime(2028, 3, 26, 2),
            dt.datetime(2028, 10, 29, 3),
        ]
        assert not any({"RDATE", "RRULE"} & set(change) for change in zone.subcomponents)


@pytest.mark.django_db
class TestDetails:
    # Long, as it gives a value to each field and names each property.
    def test_are_those_of_the_event(self):
        event = EventFactory(
            title="Ceilidh, loud; and long",
            description="<p>A caller &amp; a band.</p><ul><li>dance</li><li>rest</li></ul>",
            website="https://barn.example.org/",
            venues=[
                VenueFactory(
                    name="The Barn",
                    address="8 Sailcloth Street",
                    city="Bristol",
                    zip="BS3",
                    country="United Kingdom",
                    geo_lat=51.5,
                    geo_lng=-2.25,
                )
            ],
            organizers=[
                OrganizerFactory(name="Harbour Neighbours", email="hello@example.org"),
                OrganizerFactory(name="Second", phone="0117"),
            ],
            categories=[CategoryFactory(name="Folk"), CategoryFactory(name="Food, drink")],
            tags=[TagFactory(name="loud")],
        )

        entry = vevent(event)

        assert texts(entry) == {
            "UID": f"cal.example.org?id={event.pk}",
            "SUMMARY": "Ceilidh, loud; and long",
            "STATUS": "CONFIRMED",
            "DESCRIPTION": "A caller & a band.\n\n- dance\n- rest",
            "LOCATION": "The Barn, 8 Sailcloth Street, BS3 Bristol, United Kingdom",
            "CONTACT": "Second, 0117",
        }
        assert unescape_backslash(str(entry["X-ALT-DESC"])) == event.description
        assert entry["X-ALT-DESC"].params["FMTTYPE"] == "text/html"
        assert entry["URL"] == f"https://cal.example.org/event/{event.slug}/"
        assert entry["LINK"] == "https://barn.example.org/"
        assert entry["LINK"].params["LINKREL"] == "describedby"
        assert entry["GEO"].to_ical() == "51.5;-2.25"
        assert entry["ORGANIZER"] == "mailto:hello@example.org"
        assert entry["ORGANIZER"].params["CN"] == "Harbour Neighbours"
        assert sorted(entry.categories) == ["Folk", "Food, drink"]
        assert entry["DTSTAMP"].dt == entry["LAST-MODIFIED"].dt == event.modified_utc
        assert entry["CREATED"].dt == event.date_utc

    def test_of_an_organizer_without_an_address_are_its_page(self):
        event = EventFactory(organizers=[OrganizerFactory(name='The "Quay"')])

        organizer = vevent(event)["ORGANIZER"]

        assert organizer == "https://cal.example.org/organizer/the-quay/"
        assert organizer.params["CN"] == "The 'Quay'"

    def test_hold_the_image(self):
        event = EventFactory(
            image=Image.objects.create(file="calendar/poster.jpg", width=4, height=3)
        )

        picture = vevent(event)["ATTACH"]

        assert picture.endswith("calendar/poster.jpg")
        assert picture.startswith("https://cal.example.org/")
        assert picture.params["FMTTYPE"] == "image/jpeg"

    def test_leave_out_a_type_that_the_name_of_an_image_does_not_tell(self):
        image = Image.objects.create(file="calendar/poster.unknown", width=4, height=3)

        assert "FMTTYPE" not in vevent(EventFactory(image=image))["ATTACH"].params

    def test_leave_out_what_is_not_there(self):
        entry = vevent(EventFactory())

        assert set(entry) == {
            "UID", "DTSTAMP", "DTSTART", "DTEND", "CREATED", "LAST-MODIFIED", "SUMMARY", "STATUS",
            "URL",
        }  # fmt: skip

    def test_call_a_draft_tentative(self):
        assert vevent(EventFactory(status="draft"))["STATUS"] == "TENTATIVE"

    def test_keep_the_uid_of_the_source(self):
        assert vevent(EventFactory(source_id="abc@example.net"))["UID"] == "abc@example.net"


@pytest.mark.django_db
class TestProtectedEvent:
    def test_tells_title_and_times_only(self):
        event = EventFactory(
            title="Preview",
            description="secret",
            website="https://secret.example.org/",
            password="x",
            venues=[VenueFactory()],
            categories=[CategoryFactory()],
        )

        entry = vevent(event)

        assert set(entry) == {
            "UID", "DTSTAMP", "DTSTART", "DTEND", "CREATED", "LAST-MODIFIED", "SUMMARY", "STATUS",
            "URL",
        }  # fmt: skip
        assert entry["URL"] == "https://cal.example.org/event/preview/"

    def test_is_told_in_full_to_whom_it_is_disclosed(self):
        event = EventFactory(description="secret", password="x")

        entry = vevent(event, redacted=lambda event: False)

        assert entry["DESCRIPTION"] == "secret"


@pytest.mark.django_db
def test_an_event_in_the_trash_is_cancelled_and_tells_no_more():
    event = EventFactory(title="Gone")
    posts.trash(event)

    entry = vevent(event)

    assert set(entry) == {"UID", "DTSTAMP", "DTSTART", "DTEND", "STATUS"}
    assert entry["STATUS"] == "CANCELLED"


@given(text=st.text(max_size=200))
def test_whatever_a_title_holds_is_read_back(text):
    event = Event(
        pk=1,
        title=text,
        slug="x",
        start_date=dt.datetime(2027, 3, 1),
        end_date=dt.datetime(2027, 3, 2),
        timezone="Europe/Paris",
        status="draft",
        password="x",
    )
    event.prepare()

    summary = str(read([event]).events[0].get("SUMMARY", ""))

    kept = text.replace("\r\n", "\n").replace("\r", "\n")
    assert summary == "".join(c for c in kept if c in "\t\n" or (c >= " " and c != "\x7f"))
