"""``POST events/bulk``: up to 500 events, each for itself or all or none."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from calendar_app.lib import fetch
from calendar_app.models import (
    Category,
    Change,
    Event,
    IdempotencyKey,
    Organizer,
    Revision,
    Tag,
    Venue,
)
from calendar_app.services.counts import recount

from ...support.api_client import ALL, P, client_of
from ...support.factories import CategoryFactory, EventFactory, UserFactory, VenueFactory
from ...support.writing import NEW, refused

pytestmark = pytest.mark.django_db
WRONG = {**NEW, "end_date": "soon"}
LINKED = {
    **NEW,
    "venue": {"venue": "Hall"},
    "organizer": {"organizer": "Ann"},
    "categories": ["Music", "Free"],
    "tags": ["jazz"],
}


def bulk(client, *events, query="", **headers):
    return client.post(f"{P}/events/bulk{query}", {"events": events}, headers=headers)


def results(answer):
    assert answer.status_code == 200, answer.content
    return answer.json()["results"]


def statuses(answer):
    return [result["status"] for result in results(answer)]


def shown(pk):
    """Return an event as lists show it."""
    listed = client_of().get(f"{P}/events", {**ALL}).json()["events"]
    return next(event for event in listed if event["id"] == pk)


def counts(answer):
    return tuple(answer.json()[name] for name in ("created", "updated", "refused"))


class TestItems:
    def test_are_created_and_changed_as_single_requests_would(self, editor):
        event = EventFactory(title="Old")

        answer = bulk(editor, LINKED, {"id": event.pk, "title": "New"})

        created, changed = results(answer)
        assert (created["index"], created["status"], changed["status"]) == (0, 201, 200)
        assert created["event"] == shown(created["event"]["id"])
        assert (changed["event"]["id"], changed["event"]["title"]) == (event.pk, "New")
        assert counts(answer) == (1, 1, 0)

    def test_that_are_refused_leave_the_others_alone(self, editor):
        answer = bulk(editor, NEW, WRONG, {"id": 999, "title": "X"}, "text", {**NEW, "title": "B"})

        refusals = results(answer)[1:4]
        assert statuses(answer) == [201, 400, 404, 400, 201]
        assert counts(answer) == (2, 0, 3)
        assert "end_date" in refusals[0]["error"]["data"]["params"]
        assert refusals[1]["error"]["code"] == "rest-event-not-found"
        assert refusals[2]["error"]["data"]["params"] == {
            "body": "An item must be an object with fields, not 'text'."
        }
        assert Event.objects.count() == 2

    def test_that_fail_while_they_are_stored_leave_nothing(self, editor):
        """The venue is made before the unknown category is found out."""
        wrong = {**NEW, "venue": {"venue": "Hall"}, "categories": [999]}

        answer = bulk(editor, NEW, wrong, {**NEW, "venue": {"venue": "Hall"}})

        assert statuses(answer) == [201, 400, 201]
        assert Venue.objects.count() == 1
        assert results(answer)[2]["event"]["venue"]["id"] == Venue.objects.get().pk

    def test_may_be_all_or_none(self, editor):
        answer = bulk(editor, NEW, WRONG, LINKED, query="?all_or_none=1")

        body = answer.json()
        assert (answer.status_code, body["code"]) == (400, "rest_bulk_refused")
        assert body["message"] == "Refused 1 of 3 events, so none was stored."
        assert [found["index"] for found in body["data"]["results"]] == [1]
        assert not any(model.objects.exists() for model in (Event, Venue, Tag))

    def test_may_all_be_stored_or_none(self, editor):
        assert statuses(bulk(editor, NEW, LINKED, query="?all_or_none=true")) == [201, 201]

    def test_of_one_event_are_refused_but_the_first(self, editor):
        event = EventFactory()

        answer = bulk(editor, {"id": event.pk, "title": "A"}, {"id": event.pk, "title": "B"})

        assert statuses(answer) == [200, 400]
        event.refresh_from_db()
        assert event.title == "A"

    @pytest.mark.parametrize("pk", ["x", -1, 1.5, True, {}, 10**30])
    def test_with_an_impossible_id_are_refused(self, editor, pk):
        answer = bulk(editor, {"id": pk, "title": "A"})

        assert statuses(answer) == [400]
        assert "id must be" in results(answer)[0]["error"]["data"]["params"]["id"]

    def test_may_move_to_the_trash(self, editor):
        event = EventFactory()

        assert statuses(bulk(editor, {"id": event.pk, "status": "trash"})) == [200]
        assert statuses(bulk(editor, {"id": event.pk, "title": "X"})) == [410]

    def test_get_slugs_of_their_own(self, editor):
        found = results(bulk(editor, NEW, NEW, NEW))

        assert [result["event"]["slug"] for result in found] == ["fair", "fair-2", "fair-3"]


class TestRights:
    def test_hold_for_each_item(self):
        author = UserFactory(role="Author")
        own, foreign = EventFactory(author=author), EventFactory()

        answer = bulk(client_of(author), *({"id": e.pk, "title": "X"} for e in (own, foreign)), NEW)

        foreign.refresh_from_db()
        assert statuses(answer) == [200, 403, 201]
        assert foreign.title != "X"

    def test_of_a_contributor_make_events_wait(self):
        answer = bulk(client_of(role="Contributor"), {**NEW, "status": "publish"})

        assert results(answer)[0]["event"]["status"] == "pending"

    def test_of_a_contributor_make_no_terms(self):
        answer = bulk(client_of(role="Contributor"), {**NEW, "tags": ["new"]}, NEW)

        assert statuses(answer) == [403, 201]

    def test_are_needed(self):
        assert bulk(client_of(), NEW).status_code == 401
        assert bulk(client_of(UserFactory()), NEW).status_code == 403


class TestRequest:
    @pytest.mark.parametrize("events", [None, [], {}, "x", [NEW] * 4])
    def test_needs_a_list_of_few_events(self, editor, settings, events):
        settings.CALENDAR_BULK_MAX_EVENTS = 3

        answer = editor.post(f"{P}/events/bulk", {"events": events})

        assert refused(answer)["events"].startswith("events must be a list of 1 to 3, not ")
        assert not Event.objects.exists()

    def test_is_json(self, editor):
        assert editor.post(f"{P}/events/bulk", {"a": 1}, format="multipart").status_code == 415

    def test_is_bounded(self, editor, settings):
        settings.CALENDAR_MAX_BODY_BYTES = 1000

        assert bulk(editor, *[NEW] * 20).status_code == 413

    def test_has_its_options_in_the_query(self, editor):
        answer = editor.post(f"{P}/events/bulk", {"events": [NEW], "all_or_none": True})

        assert set(refused(answer)) == {"all_or_none"}

    def test_may_be_a_dry_run(self, editor):
        answer = bulk(editor, LINKED, WRONG, query="?dry_run=1")

        assert (statuses(answer), answer["X-Dry-Run"]) == ([201, 400], "true")
        assert not any(model.objects.exists() for model in (Event, Venue))

    def test_may_be_repeated(self, editor):
        first, again = (bulk(editor, LINKED, WRONG, **{"Idempotency-Key": "k"}) for _ in "ab")

        assert (again.content, again["Idempotent-Replayed"]) == (first.content, "true")
        assert Event.objects.count() == 1

    def test_that_stored_nothing_keeps_no_key(self, editor):
        bulk(editor, WRONG, query="?all_or_none=1", **{"Idempotency-Key": "k"})

        assert not IdempotencyKey.objects.exists()

    def test_looks_up_hosts_for_a_short_time_only(self, editor, names, monkeypatch):
        clock = iter(range(0, 1000, 3))
        monkeypatch.setattr(fetch.time, "monotonic", lambda: next(clock))
        for n in range(5):
            names.add(f"slow{n}.example", "")

        events = [{**NEW, "image": f"http://slow{n}.example/a.png"} for n in range(5)]
        bulk(editor, *events)

        assert len([name for name in names.asked if name.startswith("slow")]) < 3

    def test_refuses_images_of_private_addresses(self, editor):
        assert statuses(bulk(editor, {**NEW, "image": "http://127.0.0.1/a.png"})) == [400]


def test_readers_get_what_was_written(editor):
    query = {"start_date": "2027-01-01"}
    before = client_of().get(f"{P}/events", query).json()["total"]
    stamp = Revision.objects.values_list("stamp", flat=True).first() or 0

    bulk(editor, LINKED, {**LINKED, "title": "B"})

    shown = client_of().get(f"{P}/events", query).json()
    assert (before, shown["total"]) == (0, 2)
    assert Revision.objects.get().stamp == stamp + 1
    assert Change.objects.filter(records__isnull=False).count() <= 1
    assert {term.count for term in (*Category.objects.all(), *Tag.objects.all())} == {2}


def test_terms_count_the_new_events_that_are_listed_and_no_refused_ones(editor):
    known = EventFactory(categories=[CategoryFactory(name="Music")])
    late = {**LINKED, "title": "Refused", "post_parent": 999}  # once it is being stored
    draft = {**LINKED, "title": "Draft", "status": "draft"}
    changed = {"id": known.pk, "categories": ["Music", "Free"]}

    answer = bulk(editor, late, draft, LINKED, changed, {**LINKED, "title": "Other"})

    assert statuses(answer) == [400, 201, 201, 200, 201]
    shown = {term["name"]: term["count"] for term in results(answer)[4]["event"]["categories"]}
    assert shown == {"Music": 3, "Free": 3}
    assert dict(Tag.objects.values_list("name", "count")) == {"jazz": 2}
    assert recount() == 0


def test_what_many_events_name_is_looked_up_once(editor):
    VenueFactory(name="Hall")
    for name in ("Music", "Free"):
        CategoryFactory(name=name)

    def queries(number):
        with CaptureQueriesContext(
            connection,
        ) as done:
            answer = bulk(editor, *({**LINKED, "title": f"{number}-{n}"} for n in range(number)))
        assert counts(answer) == (number, 0, 0)
        return len(done), sum("name_key" in q["sql"] or "LOWER" in q["sql"].upper() for q in done)

    bulk(editor, LINKED)
    (few, few_names), (many, many_names) = queries(2), queries(12)

    assert few_names == many_names
    assert (many - few) / 10 <= 3
    assert (Venue.objects.count(), Organizer.objects.count()) == (1, 1)
