from datetime import UTC, datetime, timedelta, timezone

import pytest
import time_machine
from hypothesis import example, given
from hypothesis import strategies as st

from calendar_app.values import date_phrases, dates, time_zones
from calendar_app.values.dates import DateError

PARIS = time_zones.get("Europe/Paris")
# A Wednesday, 11:15:30 in Paris.
NOW = datetime(2027, 2, 3, 10, 15, 30, tzinfo=UTC)


def in_paris(text):
    return datetime.fromisoformat(text).replace(tzinfo=PARIS)


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("2027-02-04", "2027-02-04 00:00"),
        ("2027-2-4", "2027-02-04 00:00"),
        ("2027/02/04", "2027-02-04 00:00"),
        ("20270204", "2027-02-04 00:00"),
        ("02/04/2027", "2027-02-04 00:00"),
        ("04-02-2027", "2027-02-04 00:00"),
        ("04.02.2027", "2027-02-04 00:00"),
        ("4 February 2027", "2027-02-04 00:00"),
        ("4th feb 2027", "2027-02-04 00:00"),
        ("4-Feb-2027", "2027-02-04 00:00"),
        ("February 4, 2027", "2027-02-04 00:00"),
        ("FEB 4 2027", "2027-02-04 00:00"),
        ("2027-02-04 14:05", "2027-02-04 14:05"),
        ("2027-02-04 14:05:06", "2027-02-04 14:05:06"),
        ("2027-02-04T14:05:06", "2027-02-04 14:05:06"),
        ("2027-02-04T14:05:06.789", "2027-02-04 14:05:06.789000"),
        ("2027-02-04T14:05:06.1234567", "2027-02-04 14:05:06.123456"),
        ("20270204T140506", "2027-02-04 14:05:06"),
        ("20270204T1405", "2027-02-04 14:05"),
        ("02/04/2027 2pm", "2027-02-04 14:00"),
        ("04-02-2027 14:05", "2027-02-04 14:05"),
        ("4 February 2027 at 2:05 PM", "2027-02-04 14:05"),
        ("2027-02-04 12am", "2027-02-04 00:00"),
        ("2027-02-04 12:30pm", "2027-02-04 12:30"),
        ("2027-02-04 08:00am", "2027-02-04 08:00"),
        ("2027-02-04 noon", "2027-02-04 12:00"),
        ("noon 2027-02-04", "2027-02-04 12:00"),
        ("  2027-02-04\t14:05 ", "2027-02-04 14:05"),
        ("2028-02-29", "2028-02-29 00:00"),
        ("first day of March 2027", "2027-03-01 00:00"),
        ("last day of feb 2028 6pm", "2028-02-29 18:00"),
        ("2027-02-04 +2 days", "2027-02-06 00:00"),
        ("2027-01-31 +1 month", "2027-02-28 00:00"),
        ("2028-02-29 +1 year", "2029-02-28 00:00"),
        ("2027-02-04 10:00 +10 hours", "2027-02-04 20:00"),
        ("2027-03-28 02:30", "2027-03-28 03:30"),
        ("9999-12-31", "9999-12-31 00:00"),
        ("9999-12-31 23:59:59", "9999-12-31 23:59:59"),
    ],
)
def test_a_date_is_in_the_zone_asked_for(text, local):
    assert dates.parse(text, PARIS) == in_paris(local)
    assert dates.wall(text, PARIS) == datetime.fromisoformat(local).replace(microsecond=0)
    assert not dates.is_relative(text)


@pytest.mark.parametrize(
    ("text", "local"),
    [
        ("now", "2027-02-03 11:15:30"),
        ("today", "2027-02-03 00:00"),
        ("Yesterday", "2027-02-02 00:00"),
        ("tomorrow", "2027-02-04 00:00"),
        ("tomorrow 9am", "2027-02-04 09:00"),
        ("9am tomorrow", "2027-02-04 09:00"),
        ("tomorrow at 9:30 pm", "2027-02-04 21:30"),
        ("tomorrow noon", "2027-02-04 12:00"),
        ("14:05", "2027-02-03 14:05"),
        ("noon", "2027-02-03 12:00"),
        ("midnight", "2027-02-03 00:00"),
        ("tomorrow midnight", "2027-02-04 00:00"),
        ("wednesday", "2027-02-03 00:00"),
        ("this wednesday", "2027-02-03 00:00"),
        ("next wednesday 4pm", "2027-02-10 16:00"),
        ("last wednesday", "2027-01-27 00:00"),
        ("thu", "2027-02-04 00:00"),
        ("next thursday", "2027-02-04 00:00"),
        ("previous tuesday", "2027-02-02 00:00"),
        ("monday next week", "2027-02-08 00:00"),
        ("sunday this week 10:00", "2027-02-07 10:00"),
        ("friday last week", "2027-01-29 00:00"),
        ("+2 weeks", "2027-02-17 11:15:30"),
        ("2 weeks", "2027-02-17 11:15:30"),
        (" 2 weeks", "2027-02-17 11:15:30"),
        ("2 weeks ago", "2027-01-20 11:15:30"),
        ("1 week 1 day ago", "2027-01-26 11:15:30"),
        ("+1 week 2 days 4 hours 2 seconds", "2027-02-12 15:15:32"),
        ("-30 days", "2027-01-04 11:15:30"),
        ("+1 month -1 day", "2027-03-02 11:15:30"),
        ("+1 fortnight", "2027-02-17 11:15:30"),
        ("+90 min", "2027-02-03 12:45:30"),
        ("+0 days", "2027-02-03 11:15:30"),
        ("tomorrow +2 hours", "2027-02-04 02:00"),
        ("tomorrow  2 hours", "2027-02-04 02:00"),
        ("9am +2 hours", "2027-02-03 11:00"),
        ("now +1 hour", "2027-02-03 12:15:30"),
        ("next month", "2027-03-03 11:15:30"),
        ("last year", "2026-02-03 11:15:30"),
        ("this week", "2027-02-03 11:15:30"),
        ("first day of next month", "2027-03-01 00:00"),
        ("last day of this month", "2027-02-28 00:00"),
        ("last day of previous month 23:59:59", "2027-01-31 23:59:59"),
    ],
)
def test_a_phrase_counts_from_now(text, local):
    assert dates.parse(text, PARIS, NOW) == in_paris(local)
    assert dates.wall(text, PARIS, NOW) == datetime.fromisoformat(local)
    assert dates.is_relative(text)


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("2027-02-04T14:05:06Z", 0),
        ("2027-02-04 14:05:06 UTC", 0),
        ("2027-02-04T14:05:06.000Z", 0),
        ("20270204T140506Z", 0),
        ("2027-02-04T14:05:06+02:00", 2),
        ("2027-02-04T14:05:06 02:00", 2),
        ("2027-02-04T14:05:06+0200", 2),
        ("2027-02-04 14:05:06+02", 2),
        ("2027-02-04 14:05:06 -05:30", -5.5),
        ("4 Feb 2027 2:05:06 pm -05:30", -5.5),
    ],
)
def test_an_offset_is_honoured_and_kept(text, hours):
    offset = timezone(timedelta(hours=hours))
    meant = datetime(2027, 2, 4, 14, 5, 6, tzinfo=offset)

    parsed = dates.parse(text, PARIS)

    assert (parsed, parsed.utcoffset()) == (meant, meant.utcoffset())
    assert dates.wall(text, PARIS) == meant.astimezone(PARIS).replace(tzinfo=None)


def test_a_day_with_an_offset_is_the_day_there():
    late = datetime(2027, 2, 3, 23, 30, tzinfo=UTC)

    parsed = dates.parse("tomorrow 9:00 -05:00", PARIS, late)

    assert parsed.isoformat() == "2027-02-04T09:00:00-05:00"


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("1800000000", "2027-01-15T08:00:00+00:00"),
        ("100000000", "1973-03-03T09:46:40+00:00"),
        ("-100000000", "1966-10-31T14:13:20+00:00"),
        ("1800000000 +1 day", "2027-01-16T08:00:00+00:00"),
        ("253402300799", "9999-12-31T23:59:59+00:00"),
    ],
)
def test_a_timestamp_is_an_instant_seen_from_the_zone(text, instant):
    new_york = time_zones.get("America/New_York")
    meant = datetime.fromisoformat(instant)

    parsed = dates.parse(text, new_york)

    assert (parsed, parsed.tzinfo) == (meant, new_york)
    assert dates.wall(text, new_york) == meant.astimezone(new_york).replace(tzinfo=None)
    assert not dates.is_relative(text)


def test_hours_elapse_and_days_are_of_the_calendar():
    eve = datetime(2027, 3, 27, 11, tzinfo=UTC)

    assert dates.parse("+24 hours", PARIS, eve) == in_paris("2027-03-28 13:00")
    assert dates.parse("+1 day", PARIS, eve) == in_paris("2027-03-28 12:00")


def test_now_is_the_same_instant_when_clocks_show_it_twice():
    second = datetime(2027, 10, 31, 1, 30, tzinfo=UTC)

    assert dates.parse("now", PARIS, second).astimezone(UTC) == second
    assert dates.parse("+1 hour", PARIS, second).astimezone(UTC) == second + timedelta(hours=1)


@time_machine.travel(NOW, tick=False)
def test_now_is_now_unless_given():
    assert dates.parse("now", PARIS) == NOW
    assert dates.wall("tomorrow", PARIS) == datetime(2027, 2, 4)


@pytest.mark.parametrize(
    ("text", "zone", "instant"),
    [
        ("0000-01-01", "UTC", "0001-01-01T00:00:00+00:00"),
        ("0000-02-29 12:00", "UTC", "0001-01-01T12:00:00+00:00"),
        ("0000-01-01T00:00:00+05:00", "UTC", "0001-01-01T00:00:00+00:00"),
        ("0001-01-01", "UTC+2", "0001-01-01T00:00:00+00:00"),
        ("9999-12-31", "UTC-2", "9999-12-31T02:00:00+00:00"),
        ("9999-12-31 23:00", "UTC-2", "9999-12-31T23:59:59+00:00"),
        ("9999-12-31T23:59:59-02:00", "UTC", "9999-12-31T23:59:59+00:00"),
        ("253402300799", "UTC+2", "9999-12-31T21:59:59+00:00"),
    ],
)
def test_an_extreme_is_the_nearest_instant_that_there_is(text, zone, instant):
    parsed = dates.parse(text, time_zones.get(zone))

    assert parsed.astimezone(UTC).isoformat() == instant


def test_an_extreme_wall_time_stays_as_written():
    local = dates.wall("9999-12-31 23:59:59", time_zones.get("UTC-2"))

    assert local == datetime(9999, 12, 31, 23, 59, 59)


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", ",", "x", "2027", "2027-02", "202702", "1405", "12345678", "99999999", "1e9"),
        *("2027-02-30", "2027-13-01", "2027-00-10", "0000-00-00", "0000-02-30", "2027-02-03-04"),
        *("13/01/2027", "31-02-2027", "1/2/27", "12027-01-01", "30 February 2027", "4 Foo 2027"),
        *("2027-02-03/10:00", "2027/02-03", "25:00", "10:60", "10:00:60", "2027-02-03 10"),
        *("13pm", "0am", "14:00 pm", "9am 10am", "today tomorrow", "monday 2027-02-03"),
        *(
            "ago",
            "2 weeks ago x",
            "next",
            "next x",
            "weeks",
            "+ weeks",
            "first day",
            "at",
            "at 9am",
        ),
        *("first day of next year", "last day of", "1.5 days", "+-2 days", "2027-02-03Z"),
        *("2027-02-03 10:00 +25:00", "2027-02-03 10:00 +02:60", "2027-02-03 10:00 Europe/Paris"),
        *("10:00Z 11:00Z", "1800000000 1800000000", "1800000000x", "٢٠٢٧-02-03", "nowx"),
        *("2027-02-03\0", "\ud800", "2027-02-03;DROP TABLE", "today" * 20, "1 " * 50_000),
    ],
)
def test_anything_else_is_refused(text):
    with pytest.raises(DateError, match="is not a date; use a form such as '2027-02-03'"):
        dates.parse(text, PARIS, NOW)
    with pytest.raises(DateError):
        dates.wall(text, PARIS, NOW)
    assert not dates.is_relative(text)


def test_a_refusal_names_the_value():
    with pytest.raises(DateError, match=r"^'2027-02-30' is not a date; use a form such as"):
        dates.parse("2027-02-30", PARIS)


@pytest.mark.parametrize(
    "text",
    [
        *("+99999999 years", "-3000 years", "+99999999999999999999 hours"),
        *("9999-12-31 +1 day", "0001-01-01 -1 second", "253402300800", "1800000000000", "9" * 64),
        f"+{'9' * 50} months",
    ],
)
def test_a_distance_beyond_the_calendar_is_refused(text):
    with pytest.raises(
        DateError, match=r"is out of range; dates are limited to the years 1 to 9999\.$"
    ):
        dates.parse(text, time_zones.get("UTC"), NOW)


WORDS = [
    *(
        *date_phrases.WEEKDAYS,
        *date_phrases.MONTHS[1:],
        *date_phrases.STEPS,
        *date_phrases.DAYS,
        *date_phrases.UNITS,
    ),
    *("now", "noon", "ago", "at", "first day of", "week", "month", "z", "utc", "am", "pm", "t"),
    *("+", "-", ":", "/", ".", ",", "10:00", "+02:00", "2027-02-03", "0000-01-01", "9999-12-31"),
]
PIECES = st.sampled_from(WORDS) | st.integers(-(10**12), 10**12).map(str)
TEXTS = st.text() | st.lists(PIECES, max_size=6).map(" ".join) | st.lists(PIECES).map("".join)
ZONES = st.sampled_from(["UTC", "UTC+14", "UTC-14", "Europe/Paris", "America/New_York"])


@given(TEXTS, ZONES.map(time_zones.get), st.datetimes(timezones=st.just(UTC)))
@example("tomorrow", time_zones.get("UTC"), datetime.max.replace(tzinfo=UTC))
@example("yesterday", time_zones.get("UTC-14"), datetime.min.replace(tzinfo=UTC))
def test_any_text_is_an_instant_or_refused(text, zone, now):
    try:
        parsed = dates.parse(text, zone, now)
    except DateError:
        return

    assert parsed.astimezone(UTC).tzinfo is UTC
    assert dates.wall(text, zone, now).tzinfo is None


# Offsets have had no seconds since Liberia gave its up in 1972.
@given(st.datetimes(datetime(1972, 2, 1), datetime(9999, 12, 30)), ZONES.map(time_zones.get))
@example(datetime(2089, 11, 6, 6, 30), time_zones.get("America/New_York"))  # an hour that repeats
def test_an_iso_instant_reads_as_itself(moment, zone):
    instant = moment.replace(tzinfo=UTC)
    there = instant.astimezone(zone)

    assert dates.parse(there.isoformat(), UTC) == instant
    assert dates.parse(there.isoformat(" "), PARIS) == instant


@given(st.datetimes(), ZONES.map(time_zones.get))
def test_a_time_as_the_api_writes_it_reads_as_itself(moment, zone):
    shown = time_zones.resolve(moment.replace(microsecond=0), zone)[0].replace(fold=0)

    assert dates.wall(str(shown), zone) == shown


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("10pm", "2027-03-05 22:00:00"),
        ("20:00", "2027-03-05 20:00:00"),
        ("noon", "2027-03-06 12:00:00"),
        ("+90 minutes", "2027-03-05 21:30:00"),
        ("next week", "2027-03-12 20:00:00"),
        ("tomorrow 1am", "2027-03-02 01:00:00"),
        ("now", "2027-03-01 09:00:00"),
        ("2027-03-07", "2027-03-07 00:00:00"),
        ("22:00Z", "2027-03-01 23:00:00"),
    ],
)
def test_an_end_counts_from_the_start_unless_it_names_a_day(text, end):
    now, start = datetime(2027, 3, 1, 8, tzinfo=UTC), datetime(2027, 3, 5, 20)

    base = dates.end_base(text, start, PARIS)

    assert str(dates.wall(text, PARIS, base or now)) == end


def test_an_end_stays_within_the_years_of_dates():
    base = dates.end_base("1am", datetime(9999, 12, 31, 20), UTC)
    assert dates.wall("1am", UTC, base).year == 9999
