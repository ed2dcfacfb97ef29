"""What the form of an event says about likely mistakes, and dates in words."""

import datetime as dt

import pytest
from django.urls import reverse

from calendar_app.models import Event, Status
from calendar_app.services import posts

from ..support.admin_users import as_role
from ..support.factories import EventFactory, UserFactory, VenueFactory
from .test_events import ADD, change_url, errors, page, saved

pytestmark = pytest.mark.django_db


def checked(client, **fields):
    given = {"title": "Fair", "start_date": "2027-03-01 10:30", "end_date": "2027-03-01 12:00"}
    answer = client.get(reverse("admin:calendar_app_event_check"), given | fields).json()
    return answer["understood"], {each["field"]: each["sentence"] for each in answer["warnings"]}


def warnings(client, **fields):
    return checked(client, **fields)[1]


def test_dates_in_words_are_told_in_figures(client, user, time_machine):
    time_machine.move_to(dt.datetime(2027, 3, 1, 12, tzinfo=dt.UTC))
    client.force_login(user)

    understood, found = checked(client, start_date="next friday 8pm", end_date="tomorrow")

    assert understood["start_date"] == "Friday, 5 March 2027, 20:00"
    assert found == {"end_date": "The end is before the start."}


def test_what_cannot_be_understood_is_said(client, user):
    understood, found = checked(client, start_date="someday", end_date="")
    assert (understood, set(found)) == ({}, {"start_date"})
    assert "is not a date" in found["start_date"]

    assert set(warnings(client, timezone="Mars/Olympus")) == {"timezone"}


def test_a_time_that_the_clocks_skip_is_told(client, user):
    skipped = {"timezone": "Europe/Paris", "start_date": "2027-03-28 02:30"}
    skipped["end_date"] = "2027-03-28 05:00"
    sentence = "The clocks in Europe/Paris are set forward on 28 March 2027: 02:30 does not exist"

    understood, found = checked(client, **skipped)
    saved_page = client.post(reverse(ADD), page(**skipped), follow=True).content.decode()

    assert found == {"start_date": f"{sentence}, and becomes 03:30."}
    assert understood["start_date"] == "Sunday, 28 March 2027, 03:30"
    assert sentence in saved_page


def test_a_hall_that_is_taken_is_told_unless_the_other_event_is_in_the_trash(client, user):
    hall = VenueFactory(name="Hall")
    other = EventFactory(title="Choir", venues=[hall])
    EventFactory(title="Later", venues=[hall], start_date=dt.datetime(2027, 3, 1, 12))

    taken = {"venues": "Hall is taken by “Choir”, which starts on 1 March 2027 at 10:00."}
    assert warnings(client, venue=hall.pk) == taken
    assert warnings(client, venue=hall.pk, event=other.pk) == {}
    assert warnings(client, venue="x") == {}
    posts.trash(other)
    assert warnings(client, venue=hall.pk) == {}


def test_a_likely_double_is_told(client, user):
    event = EventFactory(title="fair")

    sentence = "There is already an event “fair” on 1 March 2027, at 10:00."
    assert warnings(client) == {"title": sentence}
    assert warnings(client, event=event.pk) == {}
    assert warnings(client, start_date="2027-03-02", end_date="2027-03-03") == {}


@as_role("Author")
def test_events_that_the_user_may_not_read_are_not_named(client, user):
    hall, other = VenueFactory(), UserFactory(role="Author")
    EventFactory(title="Fair", venues=[hall], status=Status.DRAFT, author=other)
    EventFactory(title="Fair", venues=[hall], password="secret", author=other)
    secret = VenueFactory(status=Status.DRAFT)
    EventFactory(title="Open", venues=[secret])

    assert warnings(client, venue=[hall.pk, secret.pk]) == {}


@pytest.mark.parametrize("user", [None], indirect=True)
def test_who_may_not_write_events_is_told_nothing(client, user):
    assert client.get(reverse("admin:calendar_app_event_check")).status_code == 403


def test_what_is_saved_with_a_likely_mistake_is_saved_with_a_warning(client, user):
    EventFactory(title="Fair")

    html = client.post(reverse(ADD), page(), follow=True).content.decode()

    assert "There is already an event “Fair”" in html
    assert Event.objects.count() == 2


def test_dates_are_typed_in_words_and_in_the_zone_of_the_event(client, user, time_machine):
    time_machine.move_to(dt.datetime(2027, 3, 1, 22, tzinfo=dt.UTC))  # the next day in Tokyo
    client.force_login(user)

    event = saved(
        client,
        reverse(ADD),
        timezone="Asia/Tokyo",
        start_date="tomorrow 8pm",
        end_date="3 March 2027 10 pm",
    )

    assert str(event.start_date) == "2027-03-03 20:00:00"
    assert str(event.end_date) == "2027-03-03 22:00:00"


def test_errors_are_worded_for_a_form(client, user):
    found = errors(client, reverse(ADD), end_date="2027-03-01 09:00", website="ftp://x.org")
    assert found["end_date"] == found["start_date"] == ["The end is before the start."]

    long = errors(client, change_url(EventFactory(author=user)), cost="1" * 256)
    assert long["cost"][0].startswith("Cost ") or "cost" not in long["cost"][0]


def test_time_zones_are_offered_by_name(client, user):
    html = client.get(reverse(ADD)).content.decode()

    assert '<option value="Europe/Paris">' in html
    assert 'list="time-zones"' in html


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("10pm", "Friday, 5 March 2027, 22:00"),
        ("1am", "Saturday, 6 March 2027, 01:00"),
        ("+2 hours", "Friday, 5 March 2027, 22:00"),
        ("tomorrow 1am", "Tuesday, 2 March 2027, 01:00"),
        ("now", "Monday, 1 March 2027, 09:00"),
    ],
)
def test_an_end_without_a_day_follows_the_start(client, user, time_machine, typed, meant):
    time_machine.move_to(dt.datetime(2027, 3, 1, 9, tzinfo=dt.UTC), tick=False)
    client.force_login(user)

    understood, _ = checked(client, start_date="friday 8pm", end_date=typed)

    assert understood["end_date"] == meant


def test_an_end_without_a_day_is_saved_after_its_start(client, user):
    event = saved(client, reverse(ADD), start_date="5 March 2027 8pm", end_date="1:30am")
    assert str(event.end_date) == "2027-03-06 01:30:00"

    found = errors(client, reverse(ADD), start_date="someday", end_date="10pm")
    assert set(found) == {"start_date"}


def test_dates_and_zones_are_refused_in_words_of_the_form(client, user):
    found = errors(client, reverse(ADD), start_date="20 Uhr", timezone="Narnia")
    told = warnings(client, start_date="20 Uhr") | warnings(client, timezone="Narnia")

    date = "'20 Uhr' is not a date. Write it as “2027-02-03 14:30”, “3 February 2027 2:30pm”"
    assert found["start_date"][0].startswith(date)
    assert told["start_date"].startswith(date)
    for sentence in (*found["timezone"], told["timezone"]):
        assert "Choose one from the list" in sentence
        assert "IANA" not in sentence
