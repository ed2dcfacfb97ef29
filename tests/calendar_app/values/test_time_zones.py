from datetime import UTC, datetime, timedelta
from zoneinfo import available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calendar_app.values import time_zones
from calendar_app.values.time_zones import ZoneError

OFFSETS = ["UTC", "UTC+2", "UTC-5.5", "UTC+14", "UTC-14"]
NAMES = [*sorted(available_timezones() - {"Factory", "localtime"}), *OFFSETS]


def at(text):
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("Europe/Paris", "Europe/Paris"),
        ("europe/PARIS", "Europe/Paris"),
        (" America/New_York ", "America/New_York"),
        ("UTC", "UTC"),
        ("utc", "UTC"),
        ("Z", "UTC"),
        ("UTC+0", "UTC"),
        ("UTC-00:00", "UTC"),
        ("UTC+2", "UTC+2"),
        ("UTC+02", "UTC+2"),
        ("UTC 2", "UTC+2"),
        ("UTC-5.5", "UTC-5.5"),
        ("UTC+5.50", "UTC+5.5"),
        ("UTC+05:30", "UTC+5.5"),
        ("UTC+5.75", "UTC+5.75"),
        ("+02:00", "UTC+2"),
        ("-0330", "UTC-3.5"),
        ("UTC+14", "UTC+14"),
    ],
)
def test_names_have_one_spelling(written, canonical):
    assert time_zones.canonical(written) == canonical
    assert time_zones.canonical(canonical) == canonical


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            " ",
            "2",
            " 2",
            "Mars/Base",
            "localtime",
            "Factory",
            "../../etc/passwd",
            "/etc/passwd",
        ),
        *("Europe", "Europe/Paris/", "Europe/Paris\0", "UTC+", "UTC+15", "UTC+14:15", "UTC+5:17"),
        *("UTC+2.3", "UTC+5:60", "UTC+2x", "GMT+2", "UTC+٢", "\ud800", "x" * 100_000),
    ],
)
def test_other_names_are_refused(name):
    with pytest.raises(ZoneError, match="is not a time zone; give an IANA name such as"):
        time_zones.get(name)


def test_a_refusal_names_the_value():
    with pytest.raises(ZoneError, match=r"^'Mars/Base' is not a time zone"):
        time_zones.get("Mars/Base")


@pytest.mark.parametrize(
    ("zone", "wall", "shown", "instant"),
    [
        ("UTC", "2027-02-03 10:00", "2027-02-03 10:00", "2027-02-03 10:00"),
        ("UTC-5.5", "2027-02-03 10:00", "2027-02-03 10:00", "2027-02-03 15:30"),
        ("Europe/Paris", "2027-02-03 10:00", "2027-02-03 10:00", "2027-02-03 09:00"),
        ("Europe/Paris", "2027-07-03 10:00", "2027-07-03 10:00", "2027-07-03 08:00"),
        ("Europe/Paris", "2027-03-28 02:30", "2027-03-28 03:30", "2027-03-28 01:30"),
        ("Europe/Paris", "2027-10-31 02:30", "2027-10-31 02:30", "2027-10-31 00:30"),
        ("Australia/Lord_Howe", "2027-10-03 02:10", "2027-10-03 02:40", "2027-10-02 15:40"),
        ("Pacific/Apia", "2011-12-30 12:00", "2011-12-31 12:00", "2011-12-30 22:00"),
    ],
)
def test_a_wall_time_is_one_that_clocks_show(zone, wall, shown, instant):
    resolved = time_zones.resolve(at(wall), time_zones.get(zone))

    assert resolved == (at(shown), at(instant).replace(tzinfo=UTC))


def test_the_second_of_two_equal_wall_times_is_told_by_its_fold():
    paris = time_zones.get("Europe/Paris")
    second = datetime(2027, 10, 31, 1, 30, tzinfo=UTC)

    wall = time_zones.to_wall(second, paris)

    assert (wall, wall.fold) == (at("2027-10-31 02:30"), 1)
    assert time_zones.to_utc(wall, paris) == second


@pytest.mark.parametrize(
    ("zone", "wall", "instant"),
    [
        ("UTC-5.5", "9999-12-31 23:00", "9999-12-31 23:59:59"),
        ("UTC+5.5", "0001-01-01 01:00", "0001-01-01 00:00:00"),
        ("UTC+5.5", "9999-12-31 23:00", "9999-12-31 17:30:00"),
    ],
)
def test_instants_beyond_the_range_are_its_edge(zone, wall, instant):
    resolved = time_zones.resolve(at(wall), time_zones.get(zone))

    assert resolved == (at(wall), at(instant).replace(tzinfo=UTC))


def test_wall_times_beyond_the_range_are_its_edge():
    first, last = at("0001-01-01 00:00"), at("9999-12-31 23:59:59")

    assert time_zones.to_wall(first.replace(tzinfo=UTC), time_zones.get("UTC-2")) == first
    assert time_zones.to_wall(last.replace(tzinfo=UTC), time_zones.get("UTC+2")) == last


@pytest.mark.parametrize(
    ("name", "wall", "label"),
    [
        ("America/New_York", "2027-02-03", "EST"),
        ("America/New_York", "2027-07-03", "EDT"),
        ("Europe/Paris", "2027-02-03", "CET"),
        ("Europe/Paris", "1900-01-01", "PMT"),
        ("UTC", "2027-02-03", "UTC"),
        ("UTC+2", "2027-02-03", "UTC+2"),
        ("utc-05:30", "2027-02-03", "UTC-5.5"),
        ("Asia/Dubai", "2027-02-03", "UTC+4"),
        ("Asia/Colombo", "2027-02-03", "UTC+5.5"),
        ("Antarctica/Troll", "1990-01-01", "UTC"),
    ],
)
def test_abbreviation(name, wall, label):
    assert time_zones.abbreviation(at(wall), name) == label


@given(st.datetimes(), st.sampled_from(NAMES))
def test_any_wall_time_resolves_to_one_that_stays(wall, name):
    zone = time_zones.get(name)

    shown, instant = time_zones.resolve(wall, zone)

    assert time_zones.resolve(shown, zone) == (shown, instant)
    assert abs(shown - wall) <= timedelta(days=1)
    assert time_zones.abbreviation(wall, name)


@given(st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30)), st.sampled_from(NAMES))
def test_any_instant_has_a_wall_time_that_leads_back(moment, name):
    zone, instant = time_zones.get(name), moment.replace(tzinfo=UTC)

    assert time_zones.to_utc(time_zones.to_wall(instant, zone), zone) == instant


@given(st.text() | st.from_regex(time_zones.OFFSET, fullmatch=True))
def test_any_name_has_a_canonical_form_or_is_refused(name):
    try:
        canonical = time_zones.canonical(name)
    except ZoneError:
        return

    assert time_zones.canonical(canonical) == canonical
