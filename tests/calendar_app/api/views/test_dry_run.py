"""``dry_run``: answers what a write would do, and stores nothing."""

import pytest
from django.apps import apps
from django.core.files.uploadedfile import SimpleUploadedFile
from django_tasks_db.models import DBTaskResult

from calendar_app.api import namespace
from calendar_app.models import Event

from ...support.api_client import P, client_of
from ...support.factories import (
    CategoryFactory,
    EventFactory,
    OrganizerFactory,
    TagFactory,
    VenueFactory,
)
from ...support.pictures import photo
from ...support.writing import NEW, refused

pytestmark = pytest.mark.django_db
METHODS = ["post", "put", "patch", "delete"]
RECORDS = {
    "events": (EventFactory, {**NEW, "tags": ["free"], "venue": {"venue": "Hall"}}, {"title": "X"}),
    "venues": (VenueFactory, {"venue": "Hall"}, {"city": "Leeds"}),
    "organizers": (OrganizerFactory, {"organizer": "Ann"}, {"phone": "1"}),
    "categories": (CategoryFactory, {"name": "Music"}, {"name": "Jazz"}),
    "tags": (TagFactory, {"name": "free"}, {"name": "paid"}),
}
VARYING = {
    "id",
    "urls",
    "term_taxonomy_id",
    "global_id_lineage",
    "modified",
    "modified_utc",
    "date",
    "date_utc",
    "url",
    "rest_url",
    "global_id",
}


def stored():
    """Return all that the calendar and the queue hold."""
    models = [*apps.get_app_config("calendar_app").get_models(), DBTaskResult]
    return {model.__name__: list(model._base_manager.order_by("pk").values()) for model in models}


def without_ids(body):
    """Return a body without what is another in each request."""
    if isinstance(body, list):
        return [without_ids(item) for item in body]
    if not isinstance(body, dict):
        return body
    return {key: without_ids(body[key]) for key in body.keys() - VARYING}


@pytest.mark.parametrize("collection", RECORDS)
def test_a_dry_run_creates_nothing_and_answers_the_same(editor, collection):
    _, fields, _ = RECORDS[collection]
    before = stored()

    dry = editor.post(f"{P}/{collection}?dry_run=1", fields)

    assert stored() == before
    real = editor.post(f"{P}/{collection}", fields)
    assert (dry.status_code, dry["X-Dry-Run"]) == (201, "true")
    assert "X-Dry-Run" not in real
    assert without_ids(dry.json()) == without_ids(real.json())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("collection", RECORDS)
def test_a_dry_run_changes_and_deletes_nothing(editor, collection, method):
    factory, _, changes = RECORDS[collection]
    address = f"{P}/{collection}/{factory().pk}"
    before = stored()

    dry = getattr(editor, method)(f"{address}?dry_run=true", changes)

    assert stored() == before
    real = getattr(editor, method)(address, changes)
    assert (dry.status_code, dry["X-Dry-Run"]) == (200, "true")
    assert without_ids(dry.json()) == without_ids(real.json())


def test_a_dry_run_leaves_no_file(editor, media):
    before = stored()

    file = SimpleUploadedFile("hall.png", photo(), "image/png")
    answer = editor.post(f"{P}/images?dry_run=yes", {"file": file}, format="multipart")

    assert (answer.status_code, answer.json()["width"]) == (201, 600)
    assert stored() == before
    assert [path for path in media.rglob("*") if path.is_file()] == []


def test_a_dry_run_queues_no_task(editor, published_site, django_capture_on_commit_callbacks):
    before = stored()
    fields = {**NEW, "image": published_site.url("/hall.png"), "date": "2099-01-01 00:00"}

    with django_capture_on_commit_callbacks() as callbacks:
        answer = editor.post(f"{P}/events?dry_run=1", fields)

    assert (answer.status_code, answer.json()["status"]) == (201, "future")
    assert callbacks == []
    assert stored() == before
    assert published_site.seen == []


def test_a_dry_run_keeps_what_readers_have(editor):
    EventFactory()
    query = {"start_date": "2020-01-01"}
    etag = client_of().get(f"{P}/events", query)["ETag"]

    editor.post(f"{P}/events?dry_run=1", NEW)
    known = client_of().get(f"{P}/events", query, headers={"If-None-Match": etag})

    assert known.status_code == 304


def test_a_dry_run_uses_no_key(editor):
    headers = {"Idempotency-Key": "one"}
    dry = editor.post(f"{P}/events?dry_run=1", NEW, headers=headers)
    real = editor.post(f"{P}/events", NEW, headers=headers)

    assert (dry.status_code, real.status_code) == (201, 201)
    assert "Idempotent-Replayed" not in real
    assert Event.objects.count() == 1


def test_a_dry_run_refuses_what_a_write_would(editor):
    author, event = client_of(role="Author"), EventFactory()

    wrong = editor.post(f"{P}/events?dry_run=1", {**NEW, "end_date": "2020-01-01"})
    foreign = author.patch(f"{P}/events/{event.pk}?dry_run=1", {"title": "Mine"})
    public = client_of().post(f"{P}/events?dry_run=1", NEW)

    assert set(refused(wrong)) == {"start_date", "end_date"}
    assert (foreign.status_code, public.status_code) == (403, 401)


@pytest.mark.parametrize("value", ["", "maybe", "2", "null", "1&dry_run=x"])
def test_a_value_that_is_not_clear_is_refused(editor, value):
    answer = editor.post(f"{P}/tags?dry_run={value}", {"name": "free"})

    given = value.rpartition("=")[2]
    assert refused(answer) == {
        "dry_run": f"dry_run must be true, false, 1, 0, yes or no, not '{given}'."
    }


@pytest.mark.parametrize("value", ["0", "false", "No"])
def test_it_may_be_off(editor, value):
    answer = editor.post(f"{P}/tags?dry_run={value}", {"name": "free"})

    assert answer.status_code == 201
    assert "X-Dry-Run" not in answer
    assert editor.get(f"{P}/tags/{answer.json()['id']}").status_code == 200


def test_in_the_body_it_is_refused_rather_than_ignored(editor):
    sentence = "dry_run belongs to the query string of the URL: ?dry_run=1."

    for answer in (
        editor.post(f"{P}/tags", {"name": "free", "dry_run": True}),
        editor.patch(f"{P}/events/{EventFactory().pk}", {"dry_run": 1}),
    ):
        assert refused(answer) == {"dry_run": sentence}


def test_every_write_is_described_with_it():
    writes = {
        (path, method): [each["name"] for each in operation.get("parameters", [])]
        for path, methods in namespace.openapi(P)["paths"].items()
        for method, operation in methods.items()
        if method in METHODS
    }

    assert len(writes) > 30
    assert [write for write, names in writes.items() if "dry_run" not in names] == []
