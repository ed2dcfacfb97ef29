"""Following a list by ``modified_after``: what changed, and what its reader has lost."""

import datetime as dt
import io
import json

import pytest
from django.core import serializers
from django.core.management import call_command
from django.urls import reverse

from calendar_app.models import Event, Venue
from calendar_app.services import posts
from calendar_app.services.revision import current

from ..support.api_client import P, client_of, get
from ..support.factories import EventFactory, OrganizerFactory, UserFactory, VenueFactory

pytestmark = pytest.mark.django_db

NOW = dt.datetime(2027, 3, 1, 12, tzinfo=dt.UTC)
SINCE = "2027-03-01T12:30:00Z"
KINDS = pytest.mark.parametrize(
    ("factory", "collection"),
    [(EventFactory, "events"), (VenueFactory, "venues"), (OrganizerFactory, "organizers")],
)


@pytest.fixture(autouse=True)
def now(time_machine):
    time_machine.move_to(NOW, tick=False)
    return time_machine


@pytest.fixture
def later(now):
    """Move on to where ``SINCE`` is over, as often as it is called."""
    hours = iter(range(1, 100))
    return lambda: now.move_to(NOW + dt.timedelta(hours=next(hours)), tick=False)


def page_of(collection, client=None, **params):
    answer = get(f"/{collection}", {"modified_after": SINCE, **params}, client)
    assert answer.status_code == 200, answer.json()
    return answer.json()


def changes(collection, client=None, **params):
    """Return (ID, status) of what a mirror is told, in order."""
    page = page_of(collection, client, **params)
    assert page["total"] == len(page[collection])
    return [(record["id"], record["status"]) for record in page[collection]]


def change(record, client=None, **fields):
    kind = f"{record._meta.model_name}s"
    answer = (client or client_of(role="Editor")).patch(f"{P}/{kind}/{record.pk}", fields)
    assert answer.status_code == 200, answer.json()


@KINDS
class TestList:
    def test_has_what_was_changed_since(self, factory, collection, later):
        changed, _ = factory(), factory()
        later()
        changed.description = "New"
        changed.save()

        assert changes(collection) == [(changed.pk, "publish")]

    @pytest.mark.parametrize("status", ["draft", "pending", "private"])
    def test_has_a_tombstone_of_what_was_withdrawn(self, factory, collection, status, later):
        record = factory()
        later()
        change(record, status=status)

        (tombstone,) = page_of(collection)[collection]

        assert tombstone == {
            "id": record.pk,
            "global_id": f"testserver?id={record.pk}",
            "status": "trash",
            "modified_utc": "2027-03-01 13:00:00",
        }
        assert changes(collection, client_of(role="Editor")) == [(record.pk, status)]

    def test_has_a_tombstone_of_what_was_trashed(self, factory, collection, later):
        record = factory()
        later()
        posts.trash(record)

        for client in (client_of(), client_of(role="Author"), client_of(role="Editor")):
            assert changes(collection, client) == [(record.pk, "trash")]

    def test_has_a_tombstone_of_what_was_deleted_for_good(self, factory, collection, later):
        trashed, deleted = factory(), factory()
        posts.trash(trashed)
        later()
        first, second = deleted.pk, trashed.pk
        deleted.delete()
        trashed.delete()

        assert changes(collection) == [(first, "trash")]
        assert changes(collection, modified_after="2027-02-01") == [
            (second, "trash"),
            (first, "trash"),
        ]

    def test_has_none_of_what_was_never_public(self, factory, collection, later):
        draft = factory(status="draft", author=UserFactory(role="Author"))
        later()
        change(draft, description="x")
        posts.trash(draft)

        assert changes(collection) == changes(collection, client_of(role="Author")) == []
        for user in (draft.author, UserFactory(role="Editor")):
            assert changes(collection, client_of(user)) == [(draft.pk, "trash")]

    def test_has_none_of_what_is_there_again(self, factory, collection, later):
        record = factory()
        later()
        posts.trash(record)
        posts.restore(record, UserFactory(role="Editor"))

        for client in (client_of(), client_of(role="Editor")):
            assert changes(collection, client) == [(record.pk, "publish")]

    def test_has_the_record_for_who_still_reads_it(self, factory, collection, later):
        author = UserFactory(role="Author")
        record = factory(author=author)
        later()
        change(record, status="private")

        assert changes(collection, client_of(author)) == [(record.pk, "private")]
        assert changes(collection, client_of(author), status="publish") == [(record.pk, "trash")]

    def test_tells_an_author_of_what_became_another_s(self, factory, collection, later):
        before, after = UserFactory(role="Author"), UserFactory(role="Author")
        record = factory(author=before, status="draft")
        later()
        change(record, author=after.pk)

        assert changes(collection, client_of(before)) == [(record.pk, "trash")]
        assert changes(collection, client_of(after)) == [(record.pk, "draft")]
        assert changes(collection, client_of(role="Editor")) == [(record.pk, "draft")]
        assert changes(collection) == []

    def test_tells_each_reader_once(self, factory, collection, later):
        author, editor = UserFactory(role="Author"), UserFactory(role="Editor")
        record = factory(author=author)
        later()
        for status in ("private", "publish", "draft", "trash"):
            change(record, client_of(editor), status=status)

        for user in (None, author, editor):
            assert changes(collection, client_of(user)) == [(record.pk, "trash")]

    def test_does_not_tell_when_what_was_withdrawn_is_changed(self, factory, collection, later):
        record = factory()
        later()
        change(record, status="private")
        later()
        change(record, description="Secret")
        posts.trash(record)

        (tombstone,) = page_of(collection)[collection]
        assert tombstone["modified_utc"] == "2027-03-01 13:00:00"

    def test_has_pages(self, factory, collection, later):
        records = [factory() for _ in range(5)]
        later()
        for record in records[:3]:
            posts.trash(record)
        for record in records[3:]:
            record.save()

        pages, address = [], f"{P}/{collection}?per_page=2&modified_after={SINCE}"
        while address:
            page = client_of().get(address).json()
            assert (page["total"], page["total_pages"]) == (5, 3)
            pages.append([(record["id"], record["status"]) for record in page[collection]])
            address = page.get("next_rest_url")

        told = [found for page in pages for found in page]
        assert [len(page) for page in pages] == [2, 2, 1]
        assert told[:3] == [(record.pk, "trash") for record in records[:3]]
        assert set(told[3:]) == {(record.pk, "publish") for record in records[3:]}

    def test_is_304_until_something_is_withdrawn(self, factory, collection, later):
        record = factory()
        later()
        params = {"modified_after": SINCE}
        first = get(f"/{collection}", params)

        again = get(f"/{collection}", params, **{"If-None-Match": first["ETag"]})
        change(record, status="private")
        after = get(f"/{collection}", params, **{"If-None-Match": first["ETag"]})

        assert (again.status_code, after.status_code) == (304, 200)

    @pytest.mark.parametrize("role", [None, "Author", "Editor"])
    def test_takes_as_many_queries_for_three_as_for_one(
        self, factory, collection, role, later, django_assert_max_num_queries
    ):
        later()
        client = client_of(role=role)
        for _ in range(3):
            posts.trash(factory())
            factory()
            with django_assert_max_num_queries(12):
                page_of(collection, client)


class TestEvents:
    def test_have_a_tombstone_when_they_are_hidden(self, later):
        author = UserFactory(role="Author")
        event = EventFactory(author=author)
        later()
        change(event, hide_from_listings=True)

        for client in (client_of(), client_of(author), client_of(role="Editor")):
            assert changes("events", client) == [(event.pk, "trash")]

    def test_are_redacted_when_they_are_protected(self, later):
        event = EventFactory(description="Words")
        later()
        change(event, post_password="sesame")

        (found,) = page_of("events")["events"]
        assert (found["id"], found["status"], found["description"]) == (event.pk, "publish", "")

    def test_have_a_tombstone_when_their_publication_is_postponed(self, later):
        event = EventFactory()
        later()
        change(event, date="2027-04-01")

        assert changes("events") == [(event.pk, "trash")]

    @pytest.mark.parametrize(
        "params", [{"search": "secret"}, {"featured": "true"}, {"start_date": "2030-01-01"}]
    )
    def test_that_were_withdrawn_tell_nothing_by_other_parameters(self, params, later):
        event = EventFactory(title="Open")
        later()
        change(event, status="private")
        before = changes("events", **params)
        change(event, title="Secret", featured=True, end_date="2030-02-01")
        change(event, start_date="2030-01-15")

        assert changes("events", **params) == before == [(event.pk, "trash")]

    def test_are_those_that_include_names(self, later):
        first, second = EventFactory(), EventFactory()
        later()
        posts.trash(first), posts.trash(second)

        assert changes("events", include=second.pk) == [(second.pk, "trash")]

    def test_are_cancelled_as_icalendar(self, later):
        event = EventFactory(source_id="abc@example.org")
        later()
        change(event, status="private", start_date="2027-02-14 10:00")

        text = get("/events", {"modified_after": SINCE, "format": "ics"}).content.decode()

        assert text.count("BEGIN:VEVENT") == 1
        for line in ("UID:abc@example.org", "STATUS:CANCELLED", "DTSTART:20270301T100000Z"):
            assert line in text

    def test_in_the_trash_are_listed_as_they_are_where_asked_for(self):
        event = EventFactory()
        posts.trash(event)

        page = page_of(
            "events", client_of(role="Editor"), status="trash", modified_after="2027-02-01"
        )

        assert [(found["id"], found["title"]) for found in page["events"]] == [
            (event.pk, event.title)
        ]


def test_deleting_for_good_in_the_admin_leaves_the_tombstone(client):
    client.force_login(UserFactory(is_staff=True, is_superuser=True))
    venue = VenueFactory()
    pk = venue.pk
    posts.trash(venue)

    client.post(reverse("admin:calendar_app_venue_delete", args=[pk]), {"post": "yes"})

    assert not Venue.objects.exists()
    assert changes("venues", modified_after="2027-02-01") == [(pk, "trash")]


class TestEveryWay:
    """Whatever changes a record, caches and mirrors learn of it."""

    def test_saving_some_fields_saves_what_follows_from_them(self, later):
        event = EventFactory()
        later()
        event.start_date = dt.datetime(2027, 3, 1, 9)

        event.save(update_fields=["start_date"])

        event = Event.objects.get()
        assert event.start_utc == dt.datetime(2027, 3, 1, 9, tzinfo=dt.UTC)
        assert event.duration == 2 * 3600
        assert changes("events") == [(event.pk, "publish")]

    def test_saving_some_fields_leaves_the_others(self):
        event = EventFactory()
        Event.objects.update(start_date=dt.datetime(2027, 3, 1, 9))

        event.save(update_fields=["title"])

        assert Event.objects.get().start_date == dt.datetime(2027, 3, 1, 9)

    def test_withdrawing_by_some_fields_leaves_a_tombstone(self, later):
        event = EventFactory()
        later()
        event.status = "draft"

        event.save(update_fields=["status"])

        assert changes("events") == [(event.pk, "trash")]

    def test_a_fixture_is_a_change(self, tmp_path, later):
        changed, withdrawn = EventFactory(), EventFactory()
        records = serializers.serialize("python", [changed, withdrawn, current()])
        records[0]["fields"]["title"] = "New"
        records[1]["fields"]["status"] = "private"
        fixture = tmp_path / "fixture.json"
        fixture.write_text(json.dumps(records, default=str))
        later()
        EventFactory().delete()
        assert len(get("/events").json()["events"]) == 2
        later()

        call_command("loaddata", str(fixture), stdout=io.StringIO())

        assert [event["title"] for event in get("/events").json()["events"]] == ["New"]
        assert (withdrawn.pk, "trash") in changes("events")
        assert (changed.pk, "publish") in changes("events")

    @pytest.mark.parametrize("in_bulk", [False, True])
    def test_an_account_that_is_deleted_leaves_its_records_changed(self, in_bulk, later):
        user = UserFactory(role="Author")
        made = [factory(author=user) for factory in (EventFactory, VenueFactory, OrganizerFactory)]
        kept = get(f"/venues/{made[1].pk}")
        assert kept.json()["author"] == str(user.pk)
        stamp = current().stamp
        later()

        if in_bulk:
            type(user).objects.filter(pk=user.pk).delete()
        else:
            user.delete()

        assert current().stamp > stamp
        assert get(f"/venues/{made[1].pk}").json()["author"] == "0"
        for record, collection in zip(made, ("events", "venues", "organizers"), strict=True):
            assert changes(collection) == [(record.pk, "publish")]
            assert type(record).objects.get().author is None
