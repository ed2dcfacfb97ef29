"""Moving events to other times in the admin."""

import datetime as dt

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from calendar_app.models import Event, Status
from calendar_app.services import events, posts, revision

from ...support.admin_users import as_role
from ...support.factories import EventFactory, VenueFactory

pytestmark = pytest.mark.django_db

START = dt.datetime(2027, 3, 1, 10)
CALENDAR = "/admin/calendar_app/event/calendar/"
DRAGGED = {"dragged_from": "2027-03-01", "dragged_to": "2027-03-04"}


def draft(**fields):
    return EventFactory(status=Status.DRAFT, title="Fair", **fields)


def move(client, event, follow=True, **fields):
    sent = {"seen": START.isoformat(), "back": f"{CALENDAR}?span=week", **fields}
    address = reverse("admin:calendar_app_event_move", args=[event.pk])
    return client.post(address, sent, follow=follow)


def times(event):
    event.refresh_from_db()
    return f"{event.start_date} – {event.end_date}"


def test_a_dragged_event_keeps_its_hours_links_and_length(client, user):
    hall = VenueFactory()
    event = draft(end_date=dt.datetime(2027, 3, 2, 11), venues=[hall])
    before = revision.current().stamp

    response = move(client, event, **DRAGGED)

    assert times(event) == "2027-03-04 10:00:00 – 2027-03-05 11:00:00"
    assert [*event.venues.all()] == [hall]
    assert revision.current().stamp == before + 1
    assert response.redirect_chain == [(f"{CALENDAR}?span=week", 302)]
    assert "was moved from 2027-03-01 10:00 to 2027-03-04 10:00" in response.content.decode()
    assert "Moved from" in LogEntry.objects.latest("pk").get_change_message()


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("2027-03-05 20:00", "2027-03-05 20:00:00 – 2027-03-05 21:00:00"),
        ("+1 week", "2027-03-08 10:00:00 – 2027-03-08 11:00:00"),
        ("-1 day", "2027-02-28 10:00:00 – 2027-02-28 11:00:00"),
        # The clocks skip from 2 to 3.
        ("2027-03-28 02:30", "2027-03-28 03:30:00 – 2027-03-28 04:30:00"),
    ],
)
def test_a_typed_start_is_that_of_the_event(client, user, typed, expected):
    event = draft(timezone="Europe/Paris")

    move(client, event, start=typed)

    assert times(event) == expected


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"start": "someday"}, "is not a date"),
        ({"start": ""}, "Say when the event is to start."),
        ({"start": "2027-03-05", "seen": "x"}, "Reload the page"),
        ({"dragged_from": "x", "dragged_to": "2027-03-05"}, "Enter a valid date."),
        ({"dragged_from": "0001-01-01", "dragged_to": "9999-12-31"}, "years 1 to 9999"),
        ({"start": "9999-12-31 23:30"}, "it would end too late"),
    ],
)
def test_a_wrong_start_moves_nothing(client, user, fields, sentence):
    event = draft()

    response = move(client, event, **fields)

    assert sentence in response.content.decode()
    assert times(event) == "2027-03-01 10:00:00 – 2027-03-01 11:00:00"


def test_a_published_event_is_moved_after_a_question(client, user):
    event = EventFactory(title="Fair")

    question = move(client, event, **DRAGGED).content.decode()
    assert "visitors see the new time at once" in question
    assert "Thursday, 4 March 2027, 10:00" in question
    assert times(event).startswith("2027-03-01")

    move(client, event, start="2027-03-04 10:00:00", confirmed="1")
    assert times(event).startswith("2027-03-04 10:00:00")


def test_what_somebody_else_has_moved_meanwhile_stays_there(client, user):
    event = draft()
    events.move(event, START + dt.timedelta(days=1), seen=START)

    response = move(client, event, **DRAGGED)

    assert "Somebody else has moved “Fair” meanwhile" in response.content.decode()
    assert times(event).startswith("2027-03-02 10:00:00")


@as_role("Author")
def test_nobody_moves_what_they_may_not_edit(client, user):
    public, hidden = EventFactory(), draft()

    assert move(client, public, follow=False, **DRAGGED).status_code == 403
    assert move(client, hidden, follow=False, **DRAGGED).status_code == 404
    assert Event.objects.filter(start_date=START).count() == 2


@pytest.mark.attack
@pytest.mark.parametrize(
    ("fields", "said"),
    [({"author": None}, 403), ({"status": Status.PUBLISH}, "“Fair” was published meanwhile")],
)
@as_role("Author")
def test_what_becomes_of_an_event_meanwhile_is_seen_before_it_moves(
    client, user, monkeypatch, fields, said
):
    event = draft(author=user)
    before = times(event)

    def increment(usual=revision._increment):
        # The write that came just before this one.
        Event.objects.filter(pk=event.pk).update(**fields)
        return usual()

    monkeypatch.setattr(revision, "_increment", increment)

    answer = move(client, event, **DRAGGED)

    assert said == answer.status_code or said in answer.content.decode()
    assert times(event) == before


def test_what_is_in_the_trash_is_not_moved(client, user):
    event = draft()
    posts.trash(event)

    assert move(client, event, follow=False, **DRAGGED).status_code == 403


@pytest.mark.parametrize("back", ["https://example.org/", "//example.org/", "/admin/logout/"])
def test_the_way_back_leads_nowhere_else(client, user, back):
    assert move(client, draft(), follow=False, back=back, **DRAGGED).url == CALENDAR
