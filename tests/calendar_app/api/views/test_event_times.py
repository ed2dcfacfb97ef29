"""How an event's times and its publication date are written."""

import datetime as dt

import pytest
import time_machine

from calendar_app.models import Event

from ...support.factories import EventFactory
from ...support.writing import change_event, create_event, refused

pytestmark = pytest.mark.django_db


def times(answer):
    body = answer.json()
    return [body[name] for name in ("start_date", "end_date", "utc_start_date", "timezone")]


def test_a_naive_time_is_in_the_zone_that_is_sent_with_it():
    event = EventFactory(timezone="UTC")

    answer = change_event(event, timezone="Asia/Tokyo", start_date="2027-03-01 09:00")

    assert times(answer) == [
        "2027-03-01 09:00:00",
        "2027-03-01 11:00:00",
        "2027-03-01 00:00:00",
        "Asia/Tokyo",
    ]


def test_a_naive_time_is_in_the_zone_of_the_event_when_none_is_sent():
    event = EventFactory(timezone="Asia/Tokyo")

    answer = change_event(event, start_date="2027-03-01 09:00")

    assert answer.json()["utc_start_date"] == "2027-03-01 00:00:00"


def test_a_new_event_is_in_the_zone_of_the_site(settings):
    settings.CALENDAR_TIME_ZONE = "America/New_York"

    assert times(create_event()) == [
        "2027-03-01 10:00:00",
        "2027-03-01 12:00:00",
        "2027-03-01 15:00:00",
        "America/New_York",
    ]


@pytest.mark.parametrize("instant", ["2027-03-01T09:00:00Z", "2027-03-01T04:00-05:00", 1803891600])
def test_an_instant_is_shown_in_the_zone_of_the_event(instant):
    answer = create_event(timezone="Europe/Paris", start_date=instant, end_date="2027-03-01 12:00")

    assert times(answer)[0] == "2027-03-01 10:00:00"


# Paris shows 02:30 twice that night, at 00:30 and at 01:30 UTC.
TWICE = {"timezone": "Europe/Paris", "end_date": "2027-10-31 04:00"}
FIRST, SECOND = "2027-10-31 00:30:00", "2027-10-31 01:30:00"


@pytest.mark.parametrize(
    ("text", "instant"),
    [
        ("2027-10-31 02:30", FIRST),
        ("2027-10-31T02:30+02:00", FIRST),
        ("2027-10-31T02:30+01:00", SECOND),
        ("2027-10-31T01:30Z", SECOND),
    ],
)
def test_a_time_that_clocks_show_twice_is_the_one_that_was_meant(text, instant):
    answer = create_event(start_date=text, **TWICE)

    assert times(answer) == ["2027-10-31 02:30:00", "2027-10-31 04:00:00", instant, "Europe/Paris"]


@pytest.mark.parametrize(
    "change",
    [
        {"title": "Other"},
        {"start_date": "2027-10-31 02:30:00"},
        {"start_date": "2027-10-31T01:30Z"},
        {"end_date": "2027-10-31 05:00"},
    ],
)
def test_the_second_of_two_times_stays_so(change):
    event = Event.objects.get(pk=create_event(start_date="2027-10-31T01:30Z", **TWICE).json()["id"])

    answer = change_event(event, **change).json()

    assert (answer["start_date"], answer["utc_start_date"]) == ("2027-10-31 02:30:00", SECOND)
    assert answer["timezone_abbr"] == "CET"


def test_the_first_of_two_times_can_become_the_second():
    event = Event.objects.get(pk=create_event(start_date="2027-10-31 02:30", **TWICE).json()["id"])

    answer = change_event(event, start_date="2027-10-31T02:30+01:00").json()

    assert answer["utc_start_date"] == SECOND


def test_a_timezone_alone_keeps_the_wall_time():
    event = EventFactory(timezone="UTC")

    assert times(change_event(event, timezone="america/new_york")) == [
        "2027-03-01 10:00:00",
        "2027-03-01 11:00:00",
        "2027-03-01 15:00:00",
        "America/New_York",
    ]


def test_a_time_in_a_gap_moves_forward():
    answer = create_event(
        timezone="Europe/Paris", start_date="2027-03-28 02:30", end_date="2027-03-28 05:00"
    )

    assert times(answer)[0] == "2027-03-28 03:30:00"


@pytest.mark.parametrize("day", ["2027-03-01", "2027-03-02"])
def test_an_all_day_event_lasts_from_midnight_to_midnight(day):
    made = create_event(all_day="true", end_date=f"{day} 09:00")

    assert times(made)[:2] == ["2027-03-01 00:00:00", f"{day} 23:59:59"]


def test_an_event_may_end_when_it_starts():
    assert create_event(end_date="2027-03-01 10:00").status_code == 201


@pytest.mark.parametrize(
    "fields",
    [
        {"start_date": "2027-03-01 12:00"},
        {"end_date": "2027-03-01 09:00"},
        {"start_date": "2027-03-01T10:30:00-05:00"},
    ],
)
def test_an_end_before_the_start_is_refused_with_both_names(fields):
    event = EventFactory()

    found = refused(change_event(event, **fields))

    event.refresh_from_db()
    assert set(found) == {"start_date", "end_date"}
    assert event.start_date == dt.datetime(2027, 3, 1, 10)


@pytest.mark.parametrize("name", ["start_date", "end_date", "date", "date_utc"])
@pytest.mark.parametrize("value", ["2027", "2027-02-30", "x", 12, True, {"a": 1}, "1\0", "9" * 400])
def test_an_unclear_date_is_refused(name, value):
    found = refused(create_event(**{name: value}))

    assert list(found) == [name]
    assert found[name].startswith(f"{name} cannot be read: ")


@pytest.mark.parametrize("zone", ["Mars/Olympus", "UTC+99", 5, "a\0b"])
def test_an_unknown_zone_is_refused(zone):
    assert list(refused(create_event(timezone=zone))) == ["timezone"]


def test_extreme_dates_are_stored():
    answer = create_event(start_date="0000-01-01", end_date="9999-12-31 23:59:59")

    assert times(answer)[:2] == ["0001-01-01 00:00:00", "9999-12-31 23:59:59"]


@time_machine.travel("2026-06-01 12:00:00+00:00", tick=False)
def test_a_phrase_counts_from_now():
    answer = create_event(start_date="tomorrow 9am", end_date="+2 weeks", timezone="Asia/Tokyo")

    assert times(answer)[:2] == ["2026-06-02 09:00:00", "2026-06-15 21:00:00"]


def dates(answer):
    return answer.json()["date"], answer.json()["date_utc"]


def test_the_publication_date_is_in_the_zone_of_the_site(settings):
    settings.CALENDAR_TIME_ZONE = "America/New_York"

    by_wall = create_event(date="2026-03-01 10:00", timezone="Asia/Tokyo")
    by_utc = create_event(date_utc="2026-03-01 15:00")

    assert dates(by_wall) == dates(by_utc) == ("2026-03-01 10:00:00", "2026-03-01 15:00:00")


@pytest.mark.parametrize(
    ("date", "date_utc", "stored"),
    [
        ("2026-03-01 10:00:00", "2026-03-01 15:00:00", "2026-03-01 15:00:00"),
        ("2026-03-01 10:00:00", "2026-04-01 00:00:00", "2026-04-01 00:00:00"),
        ("2026-05-01 00:00:00", "2026-03-01 15:00:00", "2026-05-01 04:00:00"),
        ("2026-05-01 00:00:00", "2026-04-01 00:00:00", "2026-05-01 04:00:00"),
        (None, "2026-04-01 00:00:00", "2026-04-01 00:00:00"),
    ],
)
def test_of_two_publication_dates_the_one_that_changes_counts(settings, date, date_utc, stored):
    settings.CALENDAR_TIME_ZONE = "America/New_York"
    made = create_event(date="2026-03-01 10:00").json()

    answer = change_event(Event.objects.get(pk=made["id"]), date=date, date_utc=date_utc)

    assert answer.json()["date_utc"] == stored


@time_machine.travel("2026-06-01 12:00:00+00:00", tick=False)
@pytest.mark.parametrize("names", [["date"], ["date_utc"], ["date", "date_utc"]])
def test_an_emptied_publication_date_is_now(names):
    made = create_event(date="2026-03-01 10:00").json()

    answer = change_event(Event.objects.get(pk=made["id"]), **dict.fromkeys(names, ""))

    assert dates(answer) == ("2026-06-01 12:00:00", "2026-06-01 12:00:00")
