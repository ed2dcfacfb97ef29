"""Rules and deliveries of alerts in the admin: made, tried, and seen only by whom they concern."""

import json
import re

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from backup_app.alerts import deliveries, webhook
from backup_app.models import AlertDelivery, AlertRule, AlertState, AuditEntry
from backup_app.models.alert import AlertEvent
from tests.support.admin_lists import list_url, shown

from ..support.admin_pages import act, add, change, done, errors, press, said
from ..support.factories import AccountFactory, ClientFactory

pytestmark = pytest.mark.django_db


def form(**fields):
    known = {"name": "on call", "enabled": "on", "events": ["job.failed"], "channel": "mail"}
    return {**known, "target": "ops@example.org", "summary": "", **fields}


def address_of(record):
    return reverse(f"admin:backup_app_{record._meta.model_name}_change", args=[record.pk])


def page_of(client, record):
    return client.get(address_of(record))


def make_rule(**fields):
    return AlertRule.objects.create(**{"name": "r", "target": "ops@example.org", **fields})


def staff_of(client):
    """Log in a member of the staff with an account of their own, who may do all with alerts."""
    user = User.objects.create_user("ann@example.org", is_staff=True)
    ours = Permission.objects.filter(content_type__app_label="backup_app")
    user.user_permissions.set(ours.exclude(codename="all_accounts"))
    client.force_login(user)
    return user


class TestRules:
    @pytest.fixture(autouse=True)
    def superuser(self, staff):
        return staff

    def test_the_operators_is_made(self, client):
        sent = form(target=" ops@example.org,ann@example.org ", events=["job.failed", "recovered"])
        done(add(client, AlertRule, sent))

        rule = AlertRule.objects.get()
        assert (rule.account, rule.events) == (None, ["job.failed", "recovered"])
        assert (rule.target, rule.secret) == ("ops@example.org, ann@example.org", "")

    def test_one_of_some_clients_is_made(self, client):
        web = ClientFactory()
        done(add(client, AlertRule, form(account=web.account_id, clients=[web.pk])))

        assert list(AlertRule.objects.get().clients.all()) == [web]

    def test_a_webhook_has_a_secret_that_the_page_shows(self, client, settings):
        settings.BACKUP_WEBHOOK_NETWORKS = "127.0.0.1"
        done(add(client, AlertRule, form(channel="webhook", target="http://127.0.0.1:8001/a")))

        rule = AlertRule.objects.get()
        assert rule.secret.startswith("whsec_")
        assert rule.secret in page_of(client, rule).content.decode()
        assert rule.secret not in json.dumps(list(AuditEntry.objects.values()), default=str)
        act(client, "renew_secret", rule)
        assert AlertRule.objects.get().secret not in {rule.secret, ""}

    def test_a_new_one_has_all_events(self, client):
        page = client.get(reverse("admin:backup_app_alertrule_add"))

        assert page.content.decode().count("checked") >= len(AlertEvent.values)

    @pytest.mark.parametrize(
        ("sent", "field", "sentence"),
        [
            ({"target": "ops"}, "target", "'ops' is not an e-mail address."),
            ({"target": "a@b.org\r\nBcc: c@d.org"}, "target", "is not an e-mail address."),
            ({"target": ","}, "target", "Name 1 to 20 e-mail addresses"),
            ({"channel": "webhook"}, "target", "must be absolute and begin with http"),
            ({"events": []}, "events", "Choose events, or a summary"),
            ({"events": ["job.eaten"]}, "events", "job.eaten"),
            ({"channel": "pigeon"}, "channel", "pigeon"),
        ],
    )
    def test_what_could_not_be_sent_is_refused(self, client, sent, field, sentence):
        found = errors(add(client, AlertRule, form(**sent)))

        assert sentence in " ".join(found[field])

    @pytest.mark.attack
    @pytest.mark.parametrize("place", ["127.0.0.1", "localhost", "169.254.169.254", "[::1]"])
    def test_a_webhook_into_a_private_network_is_refused(self, client, place):
        sent = form(channel="webhook", target=f"http://{place}/latest/meta-data")

        [sentence] = errors(add(client, AlertRule, sent))["target"]

        assert "leads to an address that is not public" in sentence
        assert not AlertRule.objects.exists()

    def test_clients_of_another_account_are_refused(self, client):
        other = ClientFactory(name="other")
        sent = form(account=AccountFactory().pk, clients=[other.pk])

        assert errors(add(client, AlertRule, sent))["clients"] == [
            "Client 'other' belongs to another account."
        ]

    def test_a_test_is_sent(self, client):
        rule = make_rule()
        answer = act(client, "send_test", rule)

        assert said(client, answer) == ["A test is on its way: 1 alert rule."]
        assert press(client, "delete_selected", rule).status_code == 403
        assert (
            client.get(reverse("admin:backup_app_alertrule_act", args=[rule.pk])).status_code == 405
        )
        assert AlertDelivery.objects.get().event == "test"

    def test_the_page_says_what_is_wrong_now(self, client):
        rule, web = make_rule(), ClientFactory(name="web1")
        AlertState.objects.create(rule=rule, subject="x", event="job.failed", client=web)

        assert "Job failed" in page_of(client, rule).content.decode().replace("job f", "Job f")


class TestDeliveries:
    @pytest.fixture(autouse=True)
    def superuser(self, staff):
        return staff

    def test_one_is_shown_and_sent_again(self, client):
        delivery = deliveries.add(make_rule(), "job.failed", "It failed.", "<b>The disk</b>")
        attempts = [{"time": "2027-03-01T12:00:00+00:00", "outcome": "status 500", "seconds": 1}]
        AlertDelivery.objects.update(status="given up", tries=10, attempts=attempts)

        page = page_of(client, delivery).content.decode()
        assert "2027-03-01 12:00:00 status 500" in page
        assert "Given Up" in page
        assert "&lt;b&gt;The disk" in page
        pressed = press(client, "send_again", delivery)
        assert pressed.url == address_of(delivery)
        assert said(client, pressed) == ["Sent again: 1 alert delivery."]
        delivery.refresh_from_db()
        assert (delivery.status, delivery.tries) == ("waiting", 0)

    def test_one_tells_when_the_next_attempt_is_due_while_there_is_one(self, client):
        delivery = deliveries.add(make_rule(), "job.failed", "It failed.", "The disk")

        assert "Due" in page_of(client, delivery).content.decode()
        for status in ("sent", "given up"):
            AlertDelivery.objects.update(status=status)
            assert "Due" not in page_of(client, delivery).content.decode()

    def test_one_on_its_way_is_not_sent_twice(self, client):
        delivery = deliveries.send_test(make_rule())

        [sentence] = said(client, act(client, "send_again", delivery))

        assert sentence == "Message 'A test of the rule 'r'.' is on its way already."


@pytest.mark.attack
class TestStaffOfAnAccount:
    """They may do all with alerts, but only with those of their own account."""

    @pytest.fixture
    def ann(self, client):
        return staff_of(client)

    @pytest.fixture
    def others(self, ann):
        """A rule of another account, and one of the operator's."""
        secret = webhook.new_secret()
        hook = {"channel": "webhook", "target": "https://example.org/", "secret": secret}
        return [make_rule(name="theirs", account=AccountFactory(), **hook), make_rule(**hook)]

    def test_they_see_their_own_rules_only(self, client, ann, others):
        make_rule(name="mine", account=ann)

        assert shown(client, AlertRule) == ["mine"]
        for rule in others:
            assert page_of(client, rule).status_code == 302  # as if there were none

    def test_they_change_and_try_their_own_only(self, client, ann, others):
        for rule in others:
            change(client, rule, form(name="stolen", account=ann.pk))
            act(client, "send_test", rule)
            act(client, "renew_secret", rule)
            press(client, "renew_secret", rule)

        assert not AlertRule.objects.filter(name="stolen").exists()
        assert not AlertDelivery.objects.exists()
        assert {rule.secret for rule in AlertRule.objects.all()} == {r.secret for r in others}

    def test_they_see_and_send_deliveries_of_their_own_only(self, client, ann, others):
        for rule in others:
            AlertDelivery.objects.filter(pk=deliveries.send_test(rule).pk).update(status="sent")

        assert shown(client, AlertDelivery) == []
        for delivery in AlertDelivery.objects.all():
            assert page_of(client, delivery).status_code == 302
            act(client, "send_again", delivery)
            press(client, "send_again", delivery)
        assert set(AlertDelivery.objects.values_list("status", flat=True)) == {"sent"}

    def test_they_make_rules_for_their_own_account_only(self, client, ann):
        other = ClientFactory()
        assert "account" in errors(add(client, AlertRule, form(account=other.account_id)))
        assert errors(add(client, AlertRule, form()))["account"] == [
            "Choose the account whose clients the rule is about."
        ]
        assert "clients" in errors(add(client, AlertRule, form(account=ann.pk, clients=[other.pk])))

        done(add(client, AlertRule, form(account=ann.pk)))
        assert AlertRule.objects.get().account == ann

    def test_who_may_only_look_is_shown_no_secret(self, client, ann):
        hook = {
            "channel": "webhook",
            "target": "https://hooks.example.org/services/T0/opensesame?k=v",
        }
        rule = make_rule(account=ann, secret=webhook.new_secret(), **hook)
        box = make_rule(account=ann)
        assert rule.target in page_of(client, rule).content.decode()
        ann.user_permissions.set(Permission.objects.filter(codename="view_alertrule"))

        page = page_of(client, rule)

        assert page.status_code == 200
        listed = client.get(list_url(AlertRule))
        for text in (page.content.decode(), listed.content.decode()):
            assert "https://hooks.example.org/…" in text
            assert not {rule.secret, "services", "opensesame"} & set(re.split(r"\W", text))
        assert shown(client, AlertRule, q="services/T0") == []
        assert box.target in page_of(client, box).content.decode()
        assert press(client, "renew_secret", rule).status_code == 403
        assert client.get(list_url(AlertDelivery)).status_code == 403
