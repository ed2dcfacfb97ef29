"""Times without a zone, told apart where a clock on the wall shows them twice."""

import datetime as dt
from zoneinfo import ZoneInfo

import pytest

from backup_app.engines.bacula.catalog.records import aware, times_of_job

BERLIN = ZoneInfo("Europe/Berlin")
DAY = dt.date(2024, 10, 27)  # on which 03:00 is 02:00 again


def wall(text):
    return dt.datetime.combine(DAY, dt.time.fromisoformat(text))


def utc(text):
    return wall(text).replace(tzinfo=dt.UTC)


def test_a_time_is_that_of_the_zone():
    assert aware(dt.datetime(2024, 7, 1, 12), BERLIN) == dt.datetime(2024, 7, 1, 10, tzinfo=dt.UTC)
    assert aware(None, BERLIN) is None


@pytest.mark.parametrize(
    ("limit", "found"),
    [
        ({}, "00:30"),
        ({"after": "00:20"}, "00:30"),
        ({"after": "00:30:40"}, "00:30"),  # within what clocks differ by
        ({"after": "00:50"}, "01:30"),
        ({"after": "01:10"}, "01:30"),
        ({"after": "03:00"}, "00:30"),  # neither: a clock was wrong
        ({"before": "00:40"}, "00:30"),
        ({"before": "01:40"}, "01:30"),
        ({"before": "00:00"}, "00:30"),
    ],
)
def test_an_hour_that_comes_twice_is_told_by_what_was_before_or_after(limit, found):
    limits = {name: utc(time) for name, time in limit.items()}

    assert aware(wall("02:30"), BERLIN, **limits) == utc(found)


@pytest.mark.parametrize(
    ("started", "ended", "exact", "found"),
    [
        ("02:30", None, "01:30", ("01:30", None)),
        ("02:30", None, "00:30", ("00:30", None)),
        ("02:50", "02:10", "01:10", ("00:50", "01:10")),
        ("02:10", "02:20", "00:20", ("00:10", "00:20")),
        ("02:10", "02:20", "01:20", ("01:10", "01:20")),
        ("01:10", "02:20", "01:20", ("23:10", "01:20")),
    ],
)
def test_jobtdate_tells_when_a_job_ran(started, ended, exact, found):
    begin, end = times_of_job(wall(started), ended and wall(ended), utc(exact).timestamp(), BERLIN)

    expected = [time and utc(time) for time in found]
    if found[0] == "23:10":
        expected[0] -= dt.timedelta(days=1)
    assert [begin, end] == expected


def test_a_job_without_jobtdate_has_the_times_of_its_clocks():
    assert times_of_job(wall("04:00"), wall("05:00"), 0, BERLIN) == (utc("03:00"), utc("04:00"))
    assert times_of_job(None, None, None, BERLIN) == (None, None)
