"""Which messages there are on which write, and what they show to whom."""

import datetime as dt
import json

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from calendar_app.models import Event, Revision, Status, Webhook, WebhookDelivery
from calendar_app.services import events, posts, series
from calendar_app.services.revision import writing

from ..support.api_client import P, client_of
from ..support.factories import EventFactory, UserFactory, VenueFactory
from ..support.writing import NEW, create_event

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(make_webhook, work):
    """A function that returns what was told since, to the public's webhook and to the other one."""
    public, full = make_webhook(), make_webhook(sees_all=True)

    def told(*, bodies=False):
        work()
        found = [
            [d.body if bodies else d.type.removeprefix("event.") for d in hook.deliveries.all()]
            for hook in (public, full)
        ]
        WebhookDelivery.objects.all().delete()
        return [sorted(each) for each in found]

    return told


def bodies(told):
    return [[json.loads(body) for body in each] for each in told(bodies=True)]


def set_status(event, status):
    event.status = status
    posts.save(event)


class TestTypes:
    def test_of_a_new_event(self, told):
        EventFactory()
        assert told() == [["created"], ["created"]]

        EventFactory(status=Status.DRAFT)
        assert told() == [[], ["created"]]

    @pytest.mark.parametrize(
        ("before", "after", "public", "full"),
        [
            ("draft", "publish", ["published"], ["published"]),
            ("publish", "publish", ["changed"], ["changed"]),
            ("publish", "draft", ["withdrawn"], ["withdrawn"]),
            ("publish", "private", ["withdrawn"], ["withdrawn"]),
            ("draft", "pending", [], ["changed"]),
            ("trash", "draft", [], ["changed"]),
            ("trash", "publish", ["published"], ["published"]),
        ],
    )
    def test_of_a_change(self, told, before, after, public, full):
        event = EventFactory(status=before)
        told()

        set_status(event, after)

        assert told() == [public, full]

    @pytest.mark.parametrize(
        ("before", "public", "full"),
        [("publish", ["deleted"], ["deleted"]), ("draft", [], ["deleted"])],
    )
    def test_of_a_deletion(self, told, before, public, full):
        event = EventFactory(status=before)
        told()

        posts.trash(event)
        assert told() == [public, full]
        with writing():
            event.delete()
        assert told() == [[], []]

    def test_of_an_event_that_becomes_hidden(self, told):
        event = EventFactory()
        told()

        event.hide_from_listings = True
        events.save(event)

        assert told() == [["withdrawn"], ["withdrawn"]]

    def test_are_chosen_by_the_webhook(self, make_webhook, work):
        hook = make_webhook(types=["event.deleted"])

        posts.trash(EventFactory())
        work()

        assert [delivery.type for delivery in hook.deliveries.all()] == ["event.deleted"]


class TestWrites:
    def test_have_one_message_for_each_event(self, told):
        with writing():
            event = EventFactory(title="One")
            event.title = "Two"
            events.save(event)

        [[message], [_]] = bodies(told)
        assert (message["type"], message["data"]["title"]) == ("event.created", "Two")

    def test_by_the_api_and_in_bulk(self, told):
        client = client_of(role="Editor")
        wrong = {**NEW, "categories": [999]}
        client.post(f"{P}/events/bulk", {"events": [NEW, wrong, NEW]})
        assert told() == [["created"] * 2] * 2

        client.patch(f"{P}/events/{Event.objects.first().pk}", {"title": "New"})
        assert told() == [["changed"], ["changed"]]

    def test_of_a_series_tell_of_each_of_its_events(self, told):
        fields = {"title": "Choir", "timezone": "Europe/Paris"}
        start = timezone.now().replace(tzinfo=None, microsecond=0) + dt.timedelta(days=1)
        event = Event(**fields, start_date=start, end_date=start + dt.timedelta(hours=2))
        series.create(event, series.Rule("FREQ=WEEKLY;COUNT=3"))
        assert told() == [["created"] * 3] * 2

        event = Event.objects.order_by("start_utc").first()
        event.title = "Choir practice"
        event.clean()
        series.save(event, series.Scope.ALL)
        assert told() == [["changed"] * 3] * 2

        series.trash(event, series.Scope.ALL)
        assert told() == [["deleted"] * 3] * 2

    def test_in_a_shell(self, told):
        event = EventFactory()
        told()

        Event.objects.get(pk=event.pk).save()
        assert told() == [["changed"], ["changed"]]
        Event.objects.all().delete()
        assert told() == [["deleted"], ["deleted"]]

    def test_that_fail_or_are_dry_runs_tell_nothing(self, told):
        with transaction.atomic(), writing():
            EventFactory()
            transaction.set_rollback(True)
        client_of(role="Editor").post(f"{P}/events?dry_run=1", NEW)
        client_of(role="Editor").post(f"{P}/events", {**NEW, "categories": [999]})

        assert not DBTaskResult.objects.exists()
        assert told() == [[], []]

    def test_of_other_records_tell_nothing(self, told):
        VenueFactory()

        assert told() == [[], []]


class TestContent:
    def test_is_what_the_public_finds_in_lists(self, told):
        create_event(venue={"venue": "Hall"})

        [[message], _] = bodies(told)
        [listed] = client_of().get(f"{P}/events", {"start_date": "2027-01-01"}).json()["events"]
        hosts = json.dumps(listed).replace("http://testserver", "http://localhost")
        assert message["data"].keys() == listed.keys()
        assert message["data"]["venue"]["venue"] == "Hall"
        assert message["data"]["rest_url"] == json.loads(hosts)["rest_url"]

    def test_of_a_protected_event_needs_no_password_but_tells_little(self, told):
        EventFactory(password="sesame", description="<p>The secret place</p>")

        [public], [full] = told(bodies=True)

        assert "The secret place" not in public
        assert "The secret place" in full
        assert "sesame" not in public + full

    def test_names_no_venue_that_the_public_may_not_see(self, told):
        EventFactory(venues=[VenueFactory(name="Bunker", status=Status.DRAFT)])

        [public], [full] = told(bodies=True)

        assert "Bunker" not in public
        assert "Bunker" in full

    def test_of_what_was_withdrawn_is_its_id(self, told):
        event = EventFactory(title="Party")
        told()
        event.title = "Private party"
        set_status(event, Status.PRIVATE)

        [[public], [full]] = bodies(told)

        assert public["data"] == {"id": event.pk, "status": "trash"}
        assert full["data"]["title"] == "Private party"

    def test_that_was_withdrawn_before_the_worker_came_is_not_told(self, told):
        event = EventFactory(title="Party")
        set_status(event, Status.DRAFT)

        public, full = told()

        assert public == ["withdrawn"]
        assert full == ["created", "withdrawn"]


def test_a_webhook_that_is_off_gets_nothing(make_webhook, work):
    make_webhook(is_active=False)

    EventFactory()
    work()

    assert not WebhookDelivery.objects.exists()
    assert not DBTaskResult.objects.exists()


def test_the_revision_knows_whether_there_are_webhooks(make_webhook):
    def known():
        return Revision.objects.get().has_webhooks

    first, second = make_webhook(), make_webhook()
    assert known()
    first.is_active = False
    first.save()
    assert known()
    second.delete()
    assert not known()
    Webhook.objects.all().delete()
    assert not known()


def test_a_write_takes_no_query_more_without_webhooks_and_one_with_many(make_webhook):
    client = client_of(UserFactory(role="Editor"))

    def queries():
        with CaptureQueriesContext(connection) as done:
            assert client.post(f"{P}/events", NEW).status_code == 201
        return [query["sql"] for query in done]

    queries()
    without = queries()
    hooks = [make_webhook() for _ in range(3)]
    with_many = queries()
    for hook in hooks:
        hook.delete()

    assert not any("webhook" in sql and "UPDATE" not in sql for sql in without)
    assert len(queries()) == len(without)
    assert len(with_many) - len(without) <= 3  # a task, in a savepoint
