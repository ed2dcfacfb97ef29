import datetime as dt
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest

from calendar_app.ical import reader, recurrence
from calendar_app.ical.deadline import TooSlowError, time_limit
from calendar_app.ical.reader import ReadError, read

from ..support.ics import ics

NOW = dt.datetime(2027, 2, 1, 12, tzinfo=dt.UTC)
YEAR = dt.timedelta(days=365)

OWN_ZONE = """\
BEGIN:VTIMEZONE
TZID:House time
BEGIN:STANDARD
DTSTART:20000101T000000
TZOFFSETFROM:+0300
TZOFFSETTO:+0300
END:STANDARD
END:VTIMEZONE"""


START_AT_HOME = "DTSTART;TZID=House time:20270301T100000"


def entries(data, zone="Europe/London", horizon=YEAR):
    found = read(data, zone)
    return [entry for series in found.series(NOW, horizon) for entry in series.entries]


def entry(lines, **options):
    (found,) = entries(ics(lines, head=options.pop("head", "")), **options)
    return found


def starts(lines, **options):
    return [f"{entry.start:%m-%d %H:%M}" for entry in entries(ics(lines), **options)]


def problems(data):
    found = read(data, "UTC")
    assert list(found.series(NOW, YEAR)) == []
    return found.problems


def wall(*parts):
    return dt.datetime(*parts)


class TestTimes:
    def test_keep_their_zone(self):
        found = entry("DTSTART;TZID=Europe/Paris:20270301T100000\nDURATION:PT90M")

        assert (found.start, found.zone) == (wall(2027, 3, 1, 10), "Europe/Paris")
        assert found.end == wall(2027, 3, 1, 11, 30)

    @pytest.mark.parametrize(
        ("name", "zone"),
        [
            ("W. Europe Standard Time", "Europe/Berlin"),
            ("Eastern Standard Time", "America/New_York"),
            ("/vendor.example.org/Tzfile/Europe/Oslo", "Europe/Oslo"),
            ("europe/paris", "Europe/Paris"),
            ("Nowhere/Land", "Europe/London"),
        ],
    )
    @pytest.mark.filterwarnings("ignore::UserWarning")
    def test_know_a_zone_by_each_of_its_names(self, name, zone):
        found = entry(f"DTSTART;TZID={name}:20270301T100000")

        assert (found.start, found.zone) == (wall(2027, 3, 1, 10), zone)

    def test_in_a_zone_that_the_file_defines_keep_their_instant(self):
        lines = "DTSTART;TZID=House time:20270301T100000\nDTEND;TZID=House time:20270301T110000"

        found = entry(lines, head=OWN_ZONE)

        assert (found.start, found.end) == (wall(2027, 3, 1, 7), wall(2027, 3, 1, 8))
        assert found.zone == "Europe/London"

    def test_in_a_zone_know_no_other_of_the_same_name_in_an_earlier_file(self):
        later = OWN_ZONE.replace("+0300", "+0500")

        found = [entry(START_AT_HOME, head=head).start.hour for head in (OWN_ZONE, later, OWN_ZONE)]

        assert found == [7, 5, 7]

    @pytest.mark.parametrize(
        ("text", "head", "hour", "zone"),
        [
            ("20270701T100000Z", "", 10, "UTC"),
            ("20270701T100000Z", "X-WR-TIMEZONE:Europe/Paris", 12, "Europe/Paris"),
            ("20270701T100000", "X-WR-TIMEZONE:Asia/Tokyo", 10, "Asia/Tokyo"),
            ("20270701T100000", "", 10, "Europe/London"),
        ],
    )
    def test_are_in_the_zone_of_the_calendar_or_the_site(self, text, head, hour, zone):
        found = entry(f"DTSTART:{text}", head=head)

        assert (found.start, found.zone) == (wall(2027, 7, 1, hour), zone)

    def test_end_as_far_from_the_start_as_the_file_says(self):
        found = entry(
            "DTSTART;TZID=Europe/Paris:20270301T100000\nDTEND;TZID=America/New_York:20270301T100000"
        )

        assert found.end == wall(2027, 3, 1, 16)

    def test_of_whole_days_end_on_the_last_one(self):
        found = entry("DTSTART;VALUE=DATE:20270301\nDTEND;VALUE=DATE:20270304")

        assert found.all_day
        assert (found.start, found.end) == (wall(2027, 3, 1), wall(2027, 3, 3, 23, 59, 59))

    @pytest.mark.parametrize("end", ["", "DTEND;VALUE=DATE:20270301", "DURATION:P1D"])
    def test_of_a_day_without_an_end_are_that_day(self, end):
        found = entry(f"DTSTART;VALUE=DATE:20270301\n{end}")

        assert found.end == wall(2027, 3, 1, 23, 59, 59)

    def test_without_an_end_have_no_length(self):
        found = entry("DTSTART:20270301T100000Z")

        assert found.end == found.start


class TestDetails:
    def test_are_read(self):
        found = entry(
            "SUMMARY:Ceilidh\\, loud\n"
            "DESCRIPTION:One < two\\n\\nThree\n"
            "URL:https://barn.example.org/\n"
            "LOCATION:The Barn\\, 8 Sailcloth Street\n"
            "GEO:51.5;-2.25\n"
            "ORGANIZER;CN=Harbour Neighbours:mailto:hello@example.org\n"
            "CATEGORIES:Folk,Food\\, drink\n"
            "CATEGORIES:Dance\n"
            "ATTACH:https://example.org/programme.pdf\n"
            "ATTACH;FMTTYPE=image/png:https://example.org/poster.png\n"
            "DTSTART:20270301T100000Z"
        )

        assert found.title == "Ceilidh, loud"
        assert found.description == "<p>One &lt; two</p>\n\n<p>Three</p>"
        assert found.url == "https://barn.example.org/"
        assert found.location == "The Barn, 8 Sailcloth Street"
        assert found.position == (51.5, -2.25)
        assert (found.organizer, found.email) == ("Harbour Neighbours", "hello@example.org")
        assert found.categories == ("Folk", "Food, drink", "Dance")
        assert found.image == "https://example.org/poster.png"

    def test_of_an_event_with_nothing_but_a_start(self):
        found = entry("DTSTART:20270301T100000Z")

        assert found.title == "Untitled event"
        assert (found.description, found.categories, found.position) == ("", (), None)

    def test_prefer_the_description_with_markup(self):
        found = entry(
            "DESCRIPTION:bold\nX-ALT-DESC;FMTTYPE=text/html:<b>bold</b>\\, yes\n"
            "DTSTART:20270301T100000Z"
        )

        assert found.description == "<b>bold</b>, yes"

    def test_know_the_page_about_the_event_from_the_events_page(self):
        found = entry(
            "URL:https://cal.example.org/event/ceilidh/\n"
            "LINK;LINKREL=related;VALUE=URI:https://other.example.org/\n"
            'LINK;LABEL=Website;LINKREL="describedby";VALUE=URI:https://barn.example.org/a;b,c\n'
            "DTSTART:20270301T100000Z"
        )

        assert found.website == "https://barn.example.org/a;b,c"
        assert found.url == "https://cal.example.org/event/ceilidh/"

    def test_know_markup_where_text_should_be(self):
        found = entry("DESCRIPTION:<p>One</p>\nDTSTART:20270301T100000Z")

        assert found.description == "<p>One</p>"

    @pytest.mark.parametrize("geo", ["91;0", "x;y", "nan;1", "5"])
    def test_leave_out_a_position_that_is_not_on_earth(self, geo):
        assert entry(f"GEO:{geo}\nDTSTART:20270301T100000Z").position is None

    def test_have_a_version_that_changes_with_them(self):
        lines = "UID:a\nSUMMARY:{}\nDTSTART:20270301T100000Z\nDTSTAMP:20270{}01T000000Z"
        one, same, other = (
            entry(lines.format(*values)) for values in (("A", 1), ("A", 2), ("B", 1))
        )

        assert one.version == same.version != other.version


class TestRecurrence:
    def test_keeps_the_time_on_the_clock(self):
        found = starts("DTSTART;TZID=Europe/Paris:20270321T100000\nRRULE:FREQ=WEEKLY;COUNT=3")

        assert found == ["03-21 10:00", "03-28 10:00", "04-04 10:00"]

    def test_ends_at_the_horizon(self):
        rule = "DTSTART:20270201T100000Z\nRRULE:FREQ=DAILY"

        assert starts(rule, horizon=dt.timedelta(days=3)) == [
            "02-01 10:00",
            "02-02 10:00",
            "02-03 10:00",
            "02-04 10:00",
        ]

    def test_minds_added_and_left_out_dates(self):
        found = starts(
            "DTSTART:20270301T100000\nRRULE:FREQ=WEEKLY;COUNT=3\n"
            "EXDATE:20270308T100000\nRDATE:20270309T120000"
        )

        assert found == ["03-01 10:00", "03-09 12:00", "03-15 10:00"]

    def test_gives_each_occurrence_the_id_that_it_keeps_when_it_is_moved(self):
        weekly = "UID:a\nSUMMARY:Weekly\nDTSTART:20270301T100000Z\nRRULE:FREQ=WEEKLY;COUNT=2"
        moved = "UID:a\nSUMMARY:Moved\nDTSTART:20270310T180000Z\nRECURRENCE-ID:20270308T100000Z"

        found = entries(ics(weekly, moved))

        assert [(entry.source_id, entry.title, entry.start) for entry in found] == [
            ("a/20270301T100000Z", "Weekly", wall(2027, 3, 1, 10)),
            ("a/20270308T100000Z", "Moved", wall(2027, 3, 10, 18)),
        ]

    def test_names_days_by_their_date(self):
        found = entries(ics("UID:a\nDTSTART;VALUE=DATE:20270301\nRRULE:FREQ=DAILY;COUNT=2"))

        assert [entry.source_id for entry in found] == ["a/20270301", "a/20270302"]
        assert all(entry.all_day for entry in found)

    def test_tells_what_is_cancelled(self):
        weekly = "UID:a\nDTSTART:20270301T100000Z\nRRULE:FREQ=WEEKLY;COUNT=2"
        off = "UID:a\nDTSTART:20270308T100000Z\nRECURRENCE-ID:20270308T100000Z\nSTATUS:CANCELLED"

        found = entries(ics(weekly, off))

        assert [entry.is_cancelled for entry in found] == [False, True]

    def test_of_a_uid_that_stands_twice_the_latest_version_counts(self):
        data = ics(
            "UID:a\nSEQUENCE:2\nSUMMARY:New\nDTSTART:20270301T100000Z",
            "UID:a\nSEQUENCE:1\nSUMMARY:Old\nDTSTART:20270301T100000Z",
        )

        assert [(entry.source_id, entry.title) for entry in entries(data)] == [("a", "New")]

    def test_of_too_many_occurrences_takes_those_to_come_first(self, monkeypatch):
        monkeypatch.setattr(recurrence, "MAX_OCCURRENCES", 4)
        found = read(ics("SUMMARY:Tick\nDTSTART:20270130T100000Z\nRRULE:FREQ=DAILY;COUNT=5"), "UTC")

        (series,) = found.series(NOW, YEAR)

        assert [entry.start.day for entry in series.entries] == [31, 1, 2, 3]
        assert series.span == (wall(2027, 1, 31, 10), wall(2027, 2, 3, 10))
        (remark,) = found.problems
        assert remark == (
            "Event 'Tick' (UID 0@example.org) recurs 5 times until 2028-02-01; the 4 from "
            "2027-01-31 to 2027-02-03 were imported."
        )


class TestMalformedEvent:
    @pytest.mark.parametrize(
        ("lines", "reason"),
        [
            ("SUMMARY:x", "it has no DTSTART."),
            ("SUMMARY:x\nDTSTART:soon", "its DTSTART is invalid"),
            ("SUMMARY:x\nDTSTART:20270230T100000Z", "its DTSTART is invalid"),
            ("SUMMARY:x\nDTSTART:20270301T100000Z\nRRULE:FREQ=BOGUS", "its RRULE is invalid"),
            ("SUMMARY:x\nDTSTART:20270301T100000Z\nDTEND:20270301T110000Z\nDURATION:PT1H", ""),
            ("SUMMARY:x\nDTSTART:20270301T100000Z\nDTEND;VALUE=DATE:20270302", ""),
            ("SUMMARY:x\nDTSTART:20270301T100000Z\nDTSTART:20270302T100000Z", ""),
        ],
    )
    def test_is_skipped_with_a_message(self, lines, reason):
        (problem,) = problems(ics(lines))

        assert problem.startswith("Event 'x' (UID 0@example.org) was skipped: ")
        assert reason in problem
        assert problem.endswith(".")

    def test_without_a_uid_is_skipped(self):
        assert problems(ics("UID: \nSUMMARY:x\nDTSTART:20270301T100000Z")) == [
            "Event 'x' (UID ) was skipped: it has no UID."
        ]

    def test_leaves_the_others(self):
        data = ics("SUMMARY:bad\nDTSTART:soon", "SUMMARY:good\nDTSTART:20270301T100000Z")

        assert [entry.title for entry in entries(data)] == ["good"]

    def test_an_invalid_line_is_skipped(self):
        assert entry("SUMMARY:x\nthis is no line\nDTSTART:20270301T100000Z").title == "x"


class TestFile:
    @pytest.mark.parametrize(
        "data",
        [
            b"",
            b"hello",
            b"<html></html>",
            b"\xff\xfe\x00",
            b"BEGIN:VCALENDAR\r\n",
            b"BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:x\r\n",
            b"BEGIN:VEVENT\r\nUID:x\r\nEND:VEVENT\r\n",
        ],
    )
    def test_that_is_not_a_calendar_is_refused(self, data):
        with pytest.raises(
            ReadError, match=r"^The file (contains no complete calendar|is not valid iCal)"
        ):
            read(data, "UTC")

    def test_may_hold_several_calendars_and_start_with_a_byte_order_mark(self):
        one = ics("UID:a\nSUMMARY:A\nDTSTART:20270301T100000Z")
        two = ics("UID:b\nSUMMARY:B\nDTSTART:20270301T100000Z")

        assert [entry.title for entry in entries(b"\xef\xbb\xbf" + one + two)] == ["A", "B"]

    def test_may_end_its_lines_as_it_likes(self):
        data = ics("SUMMARY:A\nDTSTART:20270301T100000Z").replace(b"\r\n", b"\n")

        assert [entry.title for entry in entries(data)] == ["A"]

    def test_that_takes_too_long_is_given_up(self, monkeypatch):
        monkeypatch.setattr(reader, "PARSE_SECONDS", 0.05)

        with pytest.raises(ReadError, match=r"takes more than 0\.05 seconds to read"):
            read(ics(*["SUMMARY:x\nDTSTART:20270301T100000Z"] * 20_000), "UTC")

    def test_that_nests_deep_is_refused(self):
        with pytest.raises(ReadError, match="nests components more than 10 levels deep"):
            read(b"BEGIN:VCALENDAR\r\n" + b"BEGIN:VEVENT\r\n" * 100_000, "UTC")


class TestHostileRule:
    @pytest.mark.parametrize(
        "rule",
        [
            "FREQ=SECONDLY",
            "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30",
            "FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30",
        ],
    )
    def test_is_given_up(self, rule, monkeypatch):
        monkeypatch.setattr(recurrence, "EXPAND_SECONDS", 0.2)
        data = ics(
            f"SUMMARY:Tick\nDTSTART:19700101T000000Z\nRRULE:{rule}",
            "SUMMARY:Fine\nDTSTART:20270301T100000Z",
        )
        found = read(data, "UTC")

        titles = [entry.title for series in found.series(NOW, YEAR) for entry in series.entries]

        assert titles == ["Fine"]
        (problem,) = found.problems
        assert problem == (
            "Event 'Tick' (UID 0@example.org) was skipped: its recurrence rule takes too long to "
            "expand."
        )

    def test_among_many_of_its_kind_ends_the_reading(self, monkeypatch):
        monkeypatch.setattr(recurrence, "EXPAND_SECONDS", 0.05)
        rules = ["DTSTART:19700101T000000Z\nRRULE:FREQ=SECONDLY"] * 11

        with pytest.raises(ReadError, match="10 recurrence rules of the file take too long"):
            entries(ics(*rules))

    def test_that_makes_too_many_events_ends_the_reading(self, monkeypatch):
        monkeypatch.setattr(reader, "MAX_ENTRIES", 100)
        rule = "DTSTART:20270301T100000Z\nRRULE:FREQ=DAILY;COUNT=60"

        with pytest.raises(ReadError, match="more than 100 events"):
            entries(ics(rule, rule))

    @pytest.mark.attack
    @pytest.mark.parametrize(
        "rule", ["SECONDLY", "DAILY;BYMONTH=2;BYMONTHDAY=30", "YEARLY;BYSECOND=1,2,3"]
    )
    def test_of_a_zone_of_the_file_is_refused_in_any_thread(self, rule):
        half = f"DTSTART:20000101T000000\nRRULE:FREQ={rule}\nTZOFFSETFROM:+0300\nTZOFFSETTO:+0400"
        halves = [f"BEGIN:{kind}\n{half}\nEND:{kind}" for kind in ("STANDARD", "DAYLIGHT")]
        zone = "\n".join(["BEGIN:VTIMEZONE\nTZID:House time", *halves, "END:VTIMEZONE"])
        data = ics(START_AT_HOME, head=zone)

        with pytest.raises(ReadError, match="'House time' does not change by a few yearly"):
            read(data, "UTC")


class TestWithin:
    def test_leaves_a_quick_block_alone(self):
        with time_limit(0.05):
            pass
        time.sleep(0.1)

    def test_ends_a_slow_one(self):
        def work():
            with time_limit(0.05):
                while True:
                    pass

        with pytest.raises(TooSlowError):
            work()

    def test_ends_one_in_a_thread_of_a_server(self):
        def work():
            with time_limit(0.05):
                while True:
                    pass

        with ThreadPoolExecutor(1) as pool, pytest.raises(TooSlowError):
            pool.submit(work).result()

    def test_raises_nothing_after_a_block_that_ends_in_time_but_just(self):
        def work():
            for _ in range(300):
                with suppress(TooSlowError), time_limit(0.001):
                    for _ in range(9000):
                        pass
            return sum(range(100_000))

        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(work).result() == sum(range(100_000))
