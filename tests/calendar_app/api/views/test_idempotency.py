"""The header Idempotency-Key: a request that is sent twice creates one record."""

import datetime as dt

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command
from django.test import TransactionTestCase
from django.utils import timezone

from calendar_app.models import Event, IdempotencyKey, Image, Organizer, Tag, Venue
from calendar_app.services import idempotency, posts
from tests.support.concurrency import call_together

from ...support.api_client import P, client_of
from ...support.factories import EventFactory, UserFactory
from ...support.pictures import photo
from ...support.writing import NEW

pytestmark = pytest.mark.django_db
NOON = dt.datetime(2027, 3, 1, 12, tzinfo=dt.UTC)
UUID = "8e03978e-40d5-43e8-bc93-6894a57f9324"
CREATES = {
    "events": ({**NEW, "tags": ["free"], "venue": {"venue": "Hall"}}, Event),
    "venues": ({"venue": "Hall"}, Venue),
    "organizers": ({"organizer": "Ann"}, Organizer),
    "tags": ({"name": "free"}, Tag),
}


@pytest.fixture
def editor():
    return client_of(role="Editor")


def post(client, key=UUID, collection="tags", body=None, query="", **options):
    body = CREATES[collection][0] if body is None else body
    headers = {"Idempotency-Key": key}
    return client.post(f"{P}/{collection}{query}", body, headers=headers, **options)


def refused(answer):
    return answer.status_code, answer.json()["code"]


class TestRepeatedRequest:
    @pytest.mark.parametrize("collection", CREATES)
    def test_gets_the_first_answer_and_creates_nothing(self, editor, collection):
        first = post(editor, collection=collection)
        again = post(editor, collection=collection)

        assert (first.status_code, again.status_code) == (201, 201)
        assert again.content == first.content
        assert again["Content-Type"] == first["Content-Type"]
        assert ("Idempotent-Replayed" in first, again["Idempotent-Replayed"]) == (False, "true")
        assert CREATES[collection][1].objects.count() == 1

    def test_gets_the_first_answer_even_if_the_record_has_changed(self, editor):
        first = post(editor, collection="events").json()
        posts.trash(Event.objects.get())

        assert post(editor, collection="events").json() == first

    def test_may_name_its_key_in_quotes_or_bare(self, editor):
        answers = [post(editor, key) for key in (f'"{UUID}"', UUID, f"  {UUID} ")]

        assert ["Idempotent-Replayed" in answer for answer in answers] == [False, True, True]

    def test_may_have_its_keys_in_another_order_and_be_a_form(self, editor):
        post(editor, body={"name": "free", "slug": "gratis"})

        form = b"slug=gratis&name=free"
        again = post(editor, body=form, content_type="application/x-www-form-urlencoded")

        assert again["Idempotent-Replayed"] == "true"

    def test_keeps_its_fields(self, editor):
        first = post(editor, query="?_fields=id,name")

        assert post(editor, query="?_fields=id,name").json() == first.json()
        assert set(first.json()) == {"id", "name"}

    def test_uploads_an_image_once(self, editor, media):
        def upload():
            file = SimpleUploadedFile("hall.png", photo(), "image/png")
            # Each has boundaries of its own.
            return post(editor, collection="images", body={"file": file}, format="multipart")

        first, again = upload(), upload()

        assert (first.status_code, again.content) == (201, first.content)
        assert Image.objects.count() == 1

    def test_is_a_new_one_after_a_day(self, editor, time_machine):
        time_machine.move_to(NOON)
        post(editor, collection="venues")
        time_machine.move_to(NOON + dt.timedelta(hours=24, minutes=1))

        assert "Idempotent-Replayed" not in post(editor, collection="venues")


class TestOtherRequest:
    def test_with_another_body_path_or_query_is_refused(self, editor):
        post(editor)

        for other in (
            {"body": {"name": "paid"}},
            {"collection": "categories", "body": {"name": "free"}},
            {"query": "?_fields=id"},
        ):
            answer = post(editor, **other)
            assert refused(answer) == (422, "rest_idempotency_key_reused")
            assert UUID in answer.json()["message"]
        assert Tag.objects.count() == 1

    def test_with_another_file_is_refused(self, editor, media):
        def upload(size):
            file = SimpleUploadedFile("hall.png", photo(size=size), "image/png")
            return post(editor, collection="images", body={"file": file}, format="multipart")

        assert [upload((20, 20)).status_code, upload((21, 20)).status_code] == [201, 422]

    def test_of_another_user_has_keys_of_its_own(self, editor):
        mine = post(editor, collection="events")
        theirs = post(client_of(role="Author"), collection="events")

        assert theirs.status_code == 201
        assert theirs.json()["id"] != mine.json()["id"]
        assert "Idempotent-Replayed" not in theirs

    def test_is_unknown_to_whoever_is_not_logged_in(self, editor):
        post(editor)

        assert post(client_of()).status_code == 401

    def test_without_a_key_leaves_none(self, editor):
        editor.post(f"{P}/tags", {"name": "free"})

        assert not IdempotencyKey.objects.exists()


class TestFailedRequest:
    def test_is_forgotten(self, editor):
        wrong = post(editor, body={"name": ""})
        right = post(editor)

        assert (wrong.status_code, right.status_code) == (400, 201)
        assert "Idempotent-Replayed" not in right

    def test_is_forgotten_when_the_server_failed(self, editor, monkeypatch):
        editor.raise_request_exception = False
        monkeypatch.setattr(idempotency, "keep", lambda *args: 1 / 0)
        failed = post(editor)

        monkeypatch.undo()
        assert (failed.status_code, Tag.objects.count()) == (500, 0)
        assert post(editor).status_code == 201

    def test_of_whom_may_not_write_is_refused_again(self):
        reader = client_of(UserFactory())

        assert [post(reader).status_code for _ in range(2)] == [403, 403]
        assert not IdempotencyKey.objects.exists()


class TestRunningRequest:
    def test_holds_its_key(self, editor):
        post(editor)
        IdempotencyKey.objects.update(status=None)

        answer = post(editor)

        assert refused(answer) == (409, "rest_idempotency_key_in_use")
        assert answer["Retry-After"] == "1"

    def test_that_has_died_loses_its_key(self, editor):
        post(editor, body={"name": "paid"})
        IdempotencyKey.objects.update(
            status=None, claimed_at=timezone.now() - dt.timedelta(hours=1)
        )

        assert post(editor).status_code == 201

    def test_that_was_taken_over_stores_nothing(self, editor, monkeypatch):
        claim = idempotency.claim

        def claim_and_sleep(*args):
            claimed = claim(*args)
            IdempotencyKey.objects.update(claimed_at=timezone.now() + dt.timedelta(seconds=1))
            return claimed

        monkeypatch.setattr(idempotency, "claim", claim_and_sleep)

        assert post(editor).status_code == 409
        assert not Tag.objects.exists()


@pytest.mark.parametrize(
    "key",
    ["", '""', '"', '"open', "a b", '"a", "b"', '"a";b=1', "a,b", "ключ", "tab\there", '"a\\b"'],
)
def test_a_malformed_key_is_refused(editor, key):
    answer = post(editor, key)

    assert refused(answer) == (400, "rest_invalid_idempotency_key")
    assert "Idempotency-Key" in answer.json()["message"]
    assert not Tag.objects.exists()


def test_a_key_has_255_characters_at_most(editor):
    too_long = post(editor, "k" * 256)

    assert refused(too_long) == (400, "rest_invalid_idempotency_key")
    assert "255 characters, not 256" in too_long.json()["message"]
    assert post(editor, '"' + "k" * 255 + '"').status_code == 201


def test_only_creating_requests_have_keys(editor):
    event = EventFactory()

    answers = [
        editor.patch(f"{P}/events/{event.pk}", {"title": n}, headers={"Idempotency-Key": UUID})
        for n in "ab"
    ]

    assert [answer.json()["title"] for answer in answers] == ["a", "b"]


def test_no_key_leaves_the_answers_of_lists_as_they_were(editor):
    """Keys are no part of the calendar: claiming one makes no kept answer stale."""
    EventFactory()
    etag = client_of().get(f"{P}/tags")["ETag"]

    post(editor, body={"name": ""})

    assert client_of().get(f"{P}/tags")["ETag"] == etag


def test_old_keys_are_pruned(editor, time_machine, capsys):
    time_machine.move_to(NOON)
    post(editor)
    time_machine.move_to(NOON + dt.timedelta(hours=25))
    post(editor, "later", body={"name": "paid"})

    call_command("prune_calendar")

    assert [row.key for row in IdempotencyKey.objects.all()] == ["later"]
    assert "Deleted 1 idempotency keys, " in capsys.readouterr().out


class ConcurrentRequestTests(TransactionTestCase):
    serialized_rollback = True  # The groups are the work of a migration.

    def test_of_several_at_once_one_creates_the_record(self):
        user = UserFactory(role="Editor")

        answers = call_together(lambda n: post(client_of(user), collection="events"), 8)

        codes = sorted(answer.status_code for answer in answers)
        assert Event.objects.count() == 1
        assert codes[0] == 201
        assert set(codes) <= {201, 409}
        assert len({answer.content for answer in answers if answer.status_code == 201}) == 1
        assert post(client_of(user), collection="events")["Idempotent-Replayed"] == "true"
