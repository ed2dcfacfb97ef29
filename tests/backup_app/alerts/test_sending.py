"""Messages reach a real mail server and a real HTTP receiver, or are tried again."""

import datetime as dt
import socket
import sys
import time

import pytest
from django.utils import timezone
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from backup_app.alerts import deliveries, mail, webhook
from backup_app.exceptions import WrongState
from backup_app.models import AlertDelivery, AlertRule
from tests.support.concurrency import call_together

pytestmark = pytest.mark.django_db


@pytest.fixture
def clock(time_machine):
    """A function that lets some time pass."""
    return lambda **passed: time_machine.move_to(timezone.now() + dt.timedelta(**passed))


def outcomes(delivery):
    delivery.refresh_from_db()
    return [attempt["outcome"] for attempt in delivery.attempts]


class TestMail:
    def test_a_message_arrives_at_all_addresses(self, mail_rule, mailbox):
        AlertRule.objects.update(target="ops@example.org, ann@example.org")
        delivery = deliveries.add(mail_rule, "job.failed", "It failed.", "The disk is full.")

        assert deliveries.send_due() == 1

        [(addresses, mail)] = mailbox.mails
        assert addresses == ["ops@example.org", "ann@example.org"]
        assert (mail["Subject"], mail["Auto-Submitted"]) == ("It failed.", "auto-generated")
        assert "The disk is full." in mail.get_content()
        assert "because of the alert rule 'on call'" in mail.get_content()
        assert outcomes(delivery) == ["sent to ops@example.org, ann@example.org"]
        assert (delivery.status, delivery.tries) == ("sent", 1)
        assert deliveries.send_due() == 0

    @pytest.mark.attack
    def test_a_name_adds_no_header(self, mail_rule, mailbox):
        deliveries.add(mail_rule, "job.failed", "Client 'a\r\nBcc: eve@example.org' failed.")

        assert deliveries.send_due() == 1

        [(addresses, mail)] = mailbox.mails
        assert addresses == ["ops@example.org"]
        assert mail["Bcc"] is None

    def test_one_that_is_refused_is_sent_later(self, mail_rule, mailbox, clock):
        mailbox.refuses = "451 Try later"
        delivery = deliveries.send_test(mail_rule)
        deliveries.send_due()
        mailbox.refuses = ""

        assert deliveries.send_due() == 0
        clock(seconds=6)
        assert deliveries.send_due() == 1

        assert "451" in outcomes(delivery)[0]
        assert len(mailbox.mails) == 1

    def test_a_server_that_does_not_answer_is_given_up_in_time(
        self, mail_rule, receiver, settings, monkeypatch
    ):
        monkeypatch.setattr(mail, "SECONDS", 0.2)
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", receiver.server_port
        delivery = deliveries.send_test(mail_rule)

        begun = time.monotonic()
        deliveries.send_due()

        assert time.monotonic() - begun < 5
        assert outcomes(delivery) == [
            "The mail server did not take it: Connection unexpectedly closed: timed out."
        ]


class TestWebhook:
    def test_a_message_arrives_signed(self, hook_rule, receiver):
        delivery = deliveries.add(hook_rule, "job.failed", "It failed.", data={"job": {"id": 7}})

        assert deliveries.send_due() == 1

        [(path, headers, body)] = receiver.requests
        [message] = receiver.opened(hook_rule.secret)
        assert path == "/alerts?from=backup"
        assert headers["Host"] == f"127.0.0.1:{receiver.server_port}"
        assert headers["webhook-id"] == delivery.message_id
        assert (message["type"], message["data"]["job"]) == ("job.failed", {"id": 7})
        assert dt.datetime.fromisoformat(message["timestamp"]) == delivery.created
        with pytest.raises(WebhookVerificationError):
            Webhook(webhook.new_secret()).verify(body, headers)
        with pytest.raises(WebhookVerificationError):
            Webhook(hook_rule.secret).verify(body.replace(b"7", b"8"), headers)

    def test_it_is_tried_again_ever_later_then_given_up(self, hook_rule, receiver, clock, caplog):
        receiver.answers += [(500, {})] * 99
        delivery = deliveries.send_test(hook_rule)
        waits = []
        for _ in range(20):
            deliveries.send_due()
            delivery.refresh_from_db()
            if delivery.status != "waiting":
                break
            waits.append(round((delivery.due - timezone.now()).total_seconds()))
            clock(seconds=waits[-1] + 1)

        assert waits == [5, 300, 1800, *(hours * 3600 for hours in (2, 5, 10, 14, 20, 24))]
        assert (delivery.status, delivery.tries) == ("given up", 10)
        assert set(outcomes(delivery)) == {"The receiver answered with status 500."}
        assert len({headers["webhook-id"] for _, headers, _ in receiver.requests}) == 1
        assert hook_rule.secret not in caplog.text

    def test_a_receiver_that_is_gone_is_given_up_at_once(self, hook_rule, receiver):
        receiver.answers.append((410, {}))
        delivery = deliveries.send_test(hook_rule)

        deliveries.send_due()

        delivery.refresh_from_db()
        assert delivery.status == "given up"

    def test_one_that_was_given_up_is_sent_again_when_asked(self, hook_rule, receiver):
        receiver.answers.append((410, {}))
        delivery = deliveries.send_test(hook_rule)
        deliveries.send_due()

        deliveries.send_again(delivery)
        with pytest.raises(WrongState, match="is on its way already"):
            deliveries.send_again(delivery)

        assert deliveries.send_due() == 1
        assert outcomes(delivery) == ["The receiver answered with status 410.", "status 204"]

    def test_a_slow_one_is_cut_off(self, hook_rule, receiver, monkeypatch):
        monkeypatch.setattr(webhook, "SECONDS", 0.3)
        receiver.may_answer.clear()
        delivery = deliveries.send_test(hook_rule)

        begun = time.monotonic()
        deliveries.send_due()

        assert time.monotonic() - begun < 5
        where = f"'127.0.0.1:{receiver.server_port}'"
        assert outcomes(delivery) == [f"{where} took longer than 0.3 seconds to answer."]

    def test_nobody_there_is_said(self, hook_rule):
        with socket.socket() as silent:
            silent.bind(("127.0.0.1", 0))
            place = f"127.0.0.1:{silent.getsockname()[1]}"
            AlertRule.objects.update(target=f"http://{place}/")
            delivery = deliveries.send_test(hook_rule)
            deliveries.send_due()

        assert outcomes(delivery) == [f"'{place}' cannot be reached: Connection refused."]

    def test_a_failing_receiver_holds_up_no_other(self, hook_rule, receiver, mail_rule, mailbox):
        receiver.answers += [(500, {})] * 9
        for _ in range(3):
            deliveries.send_test(hook_rule)
        deliveries.send_test(mail_rule)

        assert deliveries.send_due() == 1
        assert (len(receiver.requests), len(mailbox.mails)) == (1, 1)

    def test_one_whose_worker_died_is_sent_again(self, hook_rule, receiver, clock, monkeypatch):
        delivery = deliveries.send_test(hook_rule)
        with monkeypatch.context() as patch:
            patch.setattr(deliveries, "_send", lambda delivery: sys.exit())
            with pytest.raises(SystemExit):
                deliveries.send_due()

        assert deliveries.send_due() == 0
        clock(minutes=6)
        assert deliveries.send_due() == 1

        delivery.refresh_from_db()
        assert (delivery.status, delivery.tries) == ("sent", 2)


def test_old_messages_are_forgotten_unless_they_wait(mail_rule, mailbox, clock):
    deliveries.send_test(mail_rule)
    deliveries.send_due()
    waiting = deliveries.send_test(mail_rule)
    clock(days=91)

    assert deliveries.forget_old() == 1
    assert list(AlertDelivery.objects.all()) == [waiting]


@pytest.mark.django_db(transaction=True)
def test_of_several_workers_one_sends(receiver):
    rule = AlertRule.objects.create(
        name="chat", channel="webhook", target=receiver.url, secret=webhook.new_secret()
    )
    deliveries.send_test(rule)

    assert sorted(call_together(lambda number: deliveries.send_due(), 3)) == [0, 0, 1]
    assert len(receiver.requests) == 1
