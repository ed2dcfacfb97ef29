"""The import of an iCalendar file in the admin: shown first, then stored at once."""

import datetime as dt
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from calendar_app.admin.transfer import ics as page
from calendar_app.ical import recurrence
from calendar_app.ical.reader import read
from calendar_app.models import Category, Event, Venue
from calendar_app.services import posts

from ..support.admin_users import as_role
from ..support.ics import ics

pytestmark = pytest.mark.django_db

FAIR = "UID:fair\nSUMMARY:Fair\nDTSTART:20270301T100000Z\nDURATION:PT1H\nLOCATION:Barn"
TALK = "UID:talk\nSUMMARY:Talk\nDTSTART:20270302T100000Z\nDURATION:PT1H\nCATEGORIES:Books"
WRONG = "UID:wrong\nSUMMARY:Wrong\nDTSTART:soon"
NO_UID = "SUMMARY:Nameless\nDTSTART:20270302T100000Z\nX-NOTE:no UID"


@pytest.fixture(autouse=True)
def now(time_machine):
    time_machine.move_to("2027-02-01T12:00:00Z", tick=False)


@pytest.fixture
def user(now, user, client):
    client.force_login(user)
    return user


@pytest.fixture
def send(client, user):
    """Send a file of these events, or the fields of a confirmation; return the answer."""

    def send(*events, status="publish", **fields):
        if events:
            content = events[0] if isinstance(events[0], bytes) else ics(*events)
            fields["file"] = SimpleUploadedFile("calendar.ics", content)
        address = reverse(f"admin:{page.PAGE}")
        return client.post(address, {"status": status, **fields}, follow=True)

    return send


def rows(response):
    return [(str(row.record), row.what) for row in response.context["preview"]["outcome"].rows]


def kept(response):
    return re.search(r'name="kept" value="([^"]+)"', response.content.decode())[1]


def store(send, *events, **fields):
    return send(kept=kept(send(*events, **fields)), confirmed="1", **fields)


def said(response):
    return [str(message) for message in response.context["messages"]]


def test_nothing_is_stored_before_it_is_confirmed(send):
    response = send(FAIR, TALK)

    assert rows(response) == [
        ("Barn", "new"),
        ("Fair", "new"),
        ("Talk", "new"),
        ("Books", "new"),
    ]
    assert not any(model.objects.exists() for model in (Event, Venue, Category))


def test_a_whole_day_is_shown_without_a_time(send):
    shown = send("UID:fair\nSUMMARY:Fair\nDTSTART;VALUE=DATE:20270301", TALK).content.decode()

    assert "<td>Mon 1 Mar 2027</td>" in shown
    assert "<td>Tue 2 Mar 2027, 10:00</td>" in shown


def test_what_is_confirmed_is_stored_and_counted(send, user):
    response = store(send, FAIR, TALK, status="draft")

    assert said(response) == ["Imported 1 venue (1 new), 2 events (2 new) and 1 category (1 new)."]
    found = Event.objects.values_list("title", "status", "author")
    assert [*found] == [("Fair", "draft", user.pk), ("Talk", "draft", user.pk)]


def test_a_preview_tells_changed_from_unchanged_and_cancelled(send):
    store(send, FAIR, TALK, "UID:old\nSUMMARY:Old\nDTSTART:20270303T100000Z")

    response = send(
        FAIR,
        TALK.replace("Talk", "Lecture"),
        "UID:old\nSUMMARY:Old\nDTSTART:20270303T100000Z\nSTATUS:CANCELLED",
    )

    assert rows(response) == [
        ("Fair", "unchanged"),
        ("Lecture", "updated"),
        ("Old", "moved to the trash"),
    ]
    assert Event.objects.get(source_id="talk").title == "Talk"


def test_events_that_are_skipped_are_named_with_the_reason(send):
    response = send(FAIR, WRONG, NO_UID)

    assert ("Fair", "new") in rows(response)
    problems = " ".join(response.context["preview"]["outcome"].problems)
    assert "Event 'Nameless' (UID ) was skipped: it has no UID." in problems
    assert "Event 'Wrong' (UID wrong) was skipped: " in problems


@pytest.mark.parametrize("rule", ["nonsense", "FREQ=", "FREQ=NEVER", "=", "FREQ=DAILY;COUNT=x", ""])
def test_a_rule_that_is_none_is_no_failure(send, rule):
    response = send(f"SUMMARY:Choir\nDTSTART:20270301T190000Z\nRRULE:{rule}", FAIR)

    assert ("Fair", "new") in rows(response)


def test_an_event_that_was_trashed_here_stays_there(send):
    store(send, FAIR)
    posts.trash(Event.objects.get())

    assert rows(send(FAIR)) == [("Fair", "unchanged")]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "The file contains no complete calendar"),
        (b"\x00\xff\xfe", "The file "),
        (b"BEGIN:VCALENDAR\r\n" * 20, "nests components more than 10 levels deep"),
    ],
)
def test_a_file_that_is_none_gets_a_sentence_in_the_form(send, content, sentence):
    response = send(content)

    assert sentence in " ".join(response.context["form"].errors["file"])
    assert response.status_code == 200


@pytest.mark.attack
@pytest.mark.parametrize(
    ("start", "rule"),
    [
        ("20270301T100000Z", "FREQ=SECONDLY"),
        ("00010101T100000Z", "FREQ=DAILY"),
        ("00010101T100000Z", "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU"),
    ],
)
def test_a_rule_that_takes_too_long_is_skipped_also_in_a_thread_of_a_server(
    send, monkeypatch, start, rule
):
    monkeypatch.setattr(recurrence, "EXPAND_SECONDS", 0.1)

    with ThreadPoolExecutor(1) as pool:
        file = ics(f"SUMMARY:Tick\nDTSTART:{start}\nRRULE:{rule}", FAIR)
        horizon = dt.timedelta(days=365)
        found = read(file, "UTC")
        series = pool.submit(lambda: [*found.series(timezone.now(), horizon)]).result()

    assert [each.uid for each in series] == ["fair"]
    assert "takes too long to expand" in found.problems[0]
    outcome = send(file).context["preview"]["outcome"]
    assert [str(row.record) for row in outcome.rows] == ["Barn", "Fair"]
    assert "takes too long to expand" in outcome.problems[0]


def test_too_large_a_file_is_refused(send, settings):
    settings.CALENDAR_ICAL_MAX_BYTES = 100

    [error] = send(FAIR).context["form"].errors["file"]

    assert re.fullmatch(r"“calendar.ics” has \d+ bytes; 100 are accepted.", error)


def test_a_file_that_no_form_could_send_back_is_refused(send, monkeypatch):
    monkeypatch.setattr(page.kept, "MOST", 10)

    assert "too large to be shown" in send(FAIR).context["form"].errors["file"][0]


def test_a_file_that_takes_too_long_is_not_stored_in_part(send, monkeypatch):
    content = kept(send(FAIR, TALK))
    monkeypatch.setattr(page, "SECONDS", -1)

    response = send(kept=content, confirmed="1")

    assert "Only 1 of 2 events" in response.context["form"].errors["file"][0]
    assert not Event.objects.exists()


def test_a_confirmation_without_a_file_asks_for_one(send):
    errors = send(confirmed="1").context["form"].errors

    assert errors == {"file": ["Choose the file to import."]}


def test_only_what_was_previewed_can_be_confirmed(send):
    content = kept(send(FAIR))
    stale = ["The preview is out of date. Choose the file again."]

    for forged in ("x", f"x{content}", content[:-3]):
        assert send(kept=forged, confirmed="1").context["form"].non_field_errors() == stale
    assert not Event.objects.exists()


def test_an_invalid_status_is_an_error_of_the_form(send):
    assert "status" in send(FAIR, status="trash").context["form"].errors


def test_titles_are_escaped(send):
    assert "<script>alert" not in send(FAIR.replace("Fair", "<script>alert(1)")).content.decode()


@as_role("Author")
def test_authors_may_not_import(client, send):
    assert send(FAIR).status_code == 403
    listed = client.get(reverse("admin:calendar_app_event_changelist")).content.decode()
    assert "Import a calendar file" not in listed


def test_the_list_leads_to_the_import(client, user):
    address = reverse(f"admin:{page.PAGE}")

    listed = client.get(reverse("admin:calendar_app_event_changelist")).content.decode()

    assert f'href="{address}"' in listed
    assert "Show what it would do" in client.get(address).content.decode()
