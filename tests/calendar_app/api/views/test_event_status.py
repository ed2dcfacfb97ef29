"""Who may give an event which status and which author."""

import datetime as dt

import pytest
from django.contrib.auth.models import Permission

from calendar_app.models import Event
from calendar_app.services import posts

from ...support.api_client import P, client_of
from ...support.factories import EventFactory, TagFactory, UserFactory
from ...support.writing import change_event, create_event, refused

pytestmark = pytest.mark.django_db

LATER = "2099-01-01 00:00"


@pytest.mark.parametrize(
    ("role", "fields", "status"),
    [
        ("Editor", {}, "publish"),
        ("Author", {}, "publish"),
        ("Contributor", {}, "draft"),
        ("Contributor", {"status": "publish"}, "pending"),
        ("Contributor", {"status": "future", "date": LATER}, "pending"),
        ("Contributor", {"status": "private"}, "pending"),
        ("Contributor", {"status": "draft"}, "draft"),
        ("Author", {"status": "private"}, "private"),
        ("Author", {"status": "publish", "date": LATER}, "future"),
        ("Author", {"date": LATER}, "future"),
        ("Author", {"status": "future"}, "publish"),
        ("Author", {"status": "draft", "date": LATER}, "draft"),
        ("Author", {"status": ""}, "publish"),
        ("Author", {"status": None}, "publish"),
    ],
)
def test_a_new_event_gets_the_status_that_its_author_may_give(role, fields, status):
    assert create_event(role=role, **fields).json()["status"] == status


def test_an_empty_status_changes_nothing():
    assert change_event(EventFactory(status="draft"), status="").json()["status"] == "draft"


def test_a_future_publication_date_schedules_a_published_event():
    event = EventFactory()

    statuses = [change_event(event, date=date).json()["status"] for date in (LATER, "2020-01-01")]

    assert statuses == ["future", "publish"]


def test_a_status_of_trash_deletes():
    event = EventFactory(tags=[TagFactory(name="Free")])

    answer = change_event(event, status="trash", title="Old")
    again = change_event(event, status="trash")

    event.refresh_from_db()
    assert (answer.status_code, answer.json()["status"]) == (200, "trash")
    assert (event.title, event.status_before_trash) == ("Old", "publish")
    assert event.tags.get().count == 0
    refused(again, 410, "event-is-in-trash")


def test_a_written_status_restores_with_a_slug_of_its_own():
    event = EventFactory(title="Fair", tags=[TagFactory()])
    posts.trash(event)
    EventFactory(title="Fair")

    answer = change_event(event, status="publish", title="Fair again")

    event.refresh_from_db()
    assert (answer.status_code, answer.json()["slug"]) == (200, "fair-2")
    assert (event.status, event.status_before_trash) == ("publish", "")
    assert event.tags.get().count == 1


@pytest.mark.parametrize("fields", [{"title": "x"}, {"title": "x", "status": ""}])
def test_a_trashed_event_without_a_status_stays(fields):
    event = EventFactory()
    posts.trash(event)

    refused(change_event(event, **fields), 410, "event-no-longer-available")


def test_counts_of_terms_follow_the_status():
    event = EventFactory(tags=[TagFactory()])

    change_event(event, status="draft")

    assert event.tags.get().count == 0


def test_an_author_publishes_what_a_contributor_may_not():
    contributor = UserFactory(role="Contributor")
    event = EventFactory(author=contributor, status="draft")

    mine = change_event(event, client_of(contributor), status="publish").json()["status"]
    theirs = change_event(event, status="publish").json()["status"]
    after = change_event(event, client_of(contributor), title="x").status_code

    assert (mine, theirs, after) == ("pending", "publish", 403)


def test_an_editor_names_another_author():
    user = UserFactory()

    assert create_event(author=str(user.pk)).json()["author"] == str(user.pk)
    assert change_event(EventFactory(), author=user.pk).json()["author"] == str(user.pk)


@pytest.mark.parametrize("role", ["Author", "Contributor"])
def test_only_an_editor_names_another_author(role):
    user, other = UserFactory(role=role), UserFactory()
    event = EventFactory(author=user, status="draft")
    client = client_of(user)

    refused(create_event(client, author=other.pk), 403, "rest_cannot_edit_others")
    refused(change_event(event, client, author=other.pk), 403, "rest_cannot_edit_others")
    refused(change_event(event, client, author=0), 403, "rest_cannot_edit_others")
    assert create_event(client, author=user.pk).status_code == 201
    assert change_event(event, client, author=str(user.pk)).status_code == 200


@pytest.mark.parametrize("nobody", [0, "0", None, ""])
def test_an_editor_leaves_an_event_without_an_author(nobody):
    event = EventFactory(author=UserFactory())

    assert change_event(event, author=nobody).json()["author"] == "0"


@pytest.mark.parametrize("nobody", [0, None, ""])
def test_the_author_of_a_new_event_is_the_caller_unless_named(nobody):
    user = UserFactory(role="Author")

    assert create_event(client_of(user), author=nobody).json()["author"] == str(user.pk)


def test_permissions_are_checked_before_the_input():
    author, other = UserFactory(role="Author"), UserFactory()

    answer = create_event(client_of(author), title="", website="x", author=other.pk)

    refused(answer, 403, "rest_cannot_edit_others")


def test_a_write_by_slug_is_a_write_by_id():
    event = EventFactory(title="Fair")
    client = client_of(role="Editor")

    for method in (client.post, client.put, client.patch):
        answer = method(f"{P}/events/by-slug/fair", {"description": method.__name__, "id": 99})
        event.refresh_from_db()
        assert (answer.status_code, event.description) == (200, method.__name__)

    assert Event.objects.count() == 1


def test_who_may_only_change_an_event_does_not_put_it_into_the_trash():
    user = UserFactory()
    rights = ["add_event", "change_event", "edit_others_event"]
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    event = EventFactory()

    answer = change_event(event, client_of(user), status="trash")

    assert (answer.status_code, answer.json()["message"]) == (
        403,
        f"You may not delete the event {event.pk}.",
    )


def test_a_date_that_the_zone_of_the_site_cannot_show_is_refused(settings, time_machine):
    """It is already the next day there, and the text is the last day that there is."""
    settings.TIME_ZONE = "Asia/Tokyo"
    time_machine.move_to("2027-03-01T20:00:00Z", tick=False)
    days = (dt.date.max - dt.date(2027, 3, 1)).days

    assert list(refused(create_event(date=f"+{days} days"))) == ["date"]
