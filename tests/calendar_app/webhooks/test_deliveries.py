"""Messages reach a real receiver, signed, again if need be, and no private address."""

import datetime as dt
import json
import logging
from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.db import connection
from django.utils import timezone
from django_tasks_db.models import DBTaskResult
from standardwebhooks.webhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from calendar_app.models import Webhook, WebhookDelivery
from calendar_app.webhooks import deliveries
from calendar_app.webhooks.deliveries import PAUSES, Status, deliver

from ..support.factories import EventFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def delivery(make_webhook, work):
    """A message that waits to be sent."""
    make_webhook()
    EventFactory(title="Fair")
    work(at_most=1)
    return WebhookDelivery.objects.get()


def attempt(delivery, number=0):
    """Make an attempt; return whether the message has arrived."""
    arrived = deliver.call(delivery.pk, number)
    delivery.refresh_from_db()
    return arrived


def test_a_message_arrives_signed(delivery, published_site):
    assert attempt(delivery)

    [(path, headers)], [body] = published_site.seen, published_site.received
    message = Verifier(delivery.webhook.secret).verify(
        body, {name.lower(): value for name, value in headers.items()}
    )
    assert path == "/hook?token=hidden"
    assert headers["Content-Type"] == "application/json"
    assert headers["webhook-id"] == delivery.message_id
    assert (message["type"], message["data"]["title"]) == ("event.created", "Fair")
    assert (delivery.status, delivery.attempts) == (Status.DELIVERED, 1)
    assert delivery.outcome == "The receiver answered with status 204."


def test_a_message_that_was_forged_is_told_from_one_of_ours(delivery, published_site):
    attempt(delivery)
    headers = {name.lower(): value for name, value in published_site.seen[0][1].items()}
    verifier = Verifier(delivery.webhook.secret)

    with pytest.raises(WebhookVerificationError):
        verifier.verify(published_site.received[0].replace(b"Fair", b"Fake"), headers)


def test_a_message_that_failed_is_sent_again_later(delivery, published_site, time_machine):
    now = dt.datetime(2027, 3, 1, 12, tzinfo=dt.UTC)
    time_machine.move_to(now, tick=False)
    published_site.page("/hook", status=503)
    DBTaskResult.objects.all().delete()

    for number, pause in enumerate(PAUSES):
        assert not attempt(delivery, number)
        task = DBTaskResult.objects.get()
        assert (task.args_kwargs["args"], task.run_after) == (
            [delivery.pk, number + 1],
            now + pause,
        )
        assert (delivery.status, delivery.next_attempt) == (Status.WAITING, now + pause)
        task.delete()
    assert not attempt(delivery, len(PAUSES))

    assert (delivery.status, delivery.attempts) == (Status.FAILED, len(PAUSES) + 1)
    assert not DBTaskResult.objects.exists()
    assert len(set(published_site.received)) == 1


def test_a_message_is_sent_by_one_of_two_tasks(delivery, published_site):
    assert attempt(delivery)
    assert not attempt(delivery)

    assert len(published_site.received) == 1


def test_a_repeated_task_makes_no_second_message(make_webhook, work, published_site):
    make_webhook()
    EventFactory()
    job = DBTaskResult.objects.get()

    for _ in range(2):
        job.task.call(*job.args_kwargs["args"])

    assert WebhookDelivery.objects.count() == 1


def test_a_receiver_that_is_gone_gets_nothing_more(delivery, published_site):
    published_site.page("/hook", status=410)

    attempt(delivery)

    delivery.webhook.refresh_from_db()
    assert (delivery.status, delivery.webhook.is_active) == (Status.FAILED, False)


def test_a_redirect_is_not_followed(delivery, published_site):
    published_site.redirect("/hook", "/other")

    assert not attempt(delivery)

    assert [path for path, _ in published_site.seen] == ["/hook?token=hidden"]
    assert delivery.outcome == "The receiver answered with status 302."


def test_a_webhook_that_was_turned_off_gets_nothing(delivery, published_site):
    delivery.webhook.is_active = False
    delivery.webhook.save()

    assert not attempt(delivery)

    assert (delivery.status, published_site.seen) == (Status.FAILED, [])
    assert delivery.outcome == "The webhook is not active."


@pytest.mark.attack
@pytest.mark.parametrize(
    ("at_first", "by_then", "arrives"),
    [(True, True, True), (True, False, False), (False, True, True), (False, False, True)],
)
def test_a_message_arrives_only_at_who_may_still_have_it(
    make_webhook, work, published_site, at_first, by_then, arrives
):
    webhook = make_webhook(sees_all=at_first)
    EventFactory(title="Fair")
    work(at_most=1)
    Webhook.objects.update(sees_all=by_then)

    work()

    delivery = webhook.deliveries.get()
    assert (delivery.sees_all, bool(published_site.received)) == (at_first, arrives)
    assert (delivery.status == Status.DELIVERED) is arrives
    assert ("the public may not see" in delivery.outcome) is not arrives


@pytest.mark.parametrize(
    ("status", "sees_all", "taken"),
    [("waiting", False, False), ("waiting", True, True), ("delivered", False, True)],
)
def test_an_upgrade_takes_for_public_only_what_has_to_be_sent(
    make_webhook, status, sees_all, taken
):
    webhook = make_webhook(sees_all=sees_all)
    webhook.deliveries.create(event_id=1, status=status, sees_all=True)
    migration = import_module("calendar_app.migrations.0012_delivery_sees_all")

    migration.take_what_waits_from_its_webhook(apps, SimpleNamespace(connection=connection))

    assert webhook.deliveries.get().sees_all is taken


class TestPrivateAddress:
    def test_gets_nothing(self, delivery, site, monkeypatch):
        monkeypatch.undo()

        assert not attempt(delivery)

        assert site.seen == []
        assert "leads to an address that is not public" in delivery.outcome

    def test_behind_a_public_name_gets_nothing(self, delivery, site, names, monkeypatch):
        """DNS rebinding: the address that was checked is the one that is requested."""
        names.add("hook.example", "10.0.0.1")
        delivery.webhook.url = f"http://hook.example:{site.port}/hook"
        delivery.webhook.save()

        assert not attempt(delivery)

        assert site.seen == []

    def test_of_a_network_that_the_operator_names_gets_messages(
        self, delivery, site, settings, monkeypatch
    ):
        monkeypatch.undo()
        settings.CALENDAR_WEBHOOK_NETWORKS = "10.0.0.0/8, 127.0.0.0/8"

        assert attempt(delivery)


def test_no_secret_is_logged(delivery, published_site, caplog):
    published_site.page("/hook", status=500)

    with caplog.at_level(logging.DEBUG):
        attempt(delivery)

    secret = delivery.webhook.secret
    assert delivery.outcome == "The receiver answered with status 500."
    assert secret not in caplog.text
    assert "token=hidden" not in caplog.text + delivery.outcome


def test_a_secret_is_random_and_can_be_replaced(make_webhook):
    webhook = make_webhook()
    before = webhook.secret

    deliveries.replace_secret(webhook)

    webhook.refresh_from_db()
    assert before.startswith("whsec_")
    assert webhook.secret != before


def test_what_was_sent_can_be_sent_again(delivery, published_site, work):
    attempt(delivery)

    deliveries.send_again(delivery)
    work()

    first, second = published_site.received
    assert json.loads(first) == json.loads(second)
    ids = {headers["webhook-id"] for _, headers in published_site.seen}
    assert ids == {delivery.message_id}


def test_old_deliveries_are_pruned(delivery):
    assert deliveries.prune() == 0

    WebhookDelivery.objects.update(created=timezone.now() - dt.timedelta(days=31))

    assert deliveries.prune() == 1
