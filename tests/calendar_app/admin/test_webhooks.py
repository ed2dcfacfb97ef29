"""The admin of webhooks and of what they were sent."""

import re

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django_tasks_db.models import DBTaskResult
from playwright.sync_api import expect

from calendar_app.models import Webhook, WebhookDelivery
from calendar_app.webhooks import deliveries

from ..support.factories import EventFactory, UserFactory

pytestmark = pytest.mark.django_db
FORM = {"name": "Mirror", "url": "https://93.184.216.34/hook", "types": ["event.deleted"]}


def page(model, *args):
    view = ("add" if not args else "change") if args != ("list",) else "changelist"
    args = () if args == ("list",) else args
    return reverse(f"admin:calendar_app_{model}_{view}", args=args)


@pytest.fixture
def operator(client):
    user = UserFactory(is_staff=True, is_superuser=True)
    client.force_login(user)
    return client


@pytest.fixture
def limited(client):
    """A client of a user who may change webhooks, but not read the drafts of others."""
    user = UserFactory(is_staff=True)
    names = ("add_webhook", "change_webhook", "view_webhook", "view_webhookdelivery")
    user.user_permissions.add(*Permission.objects.filter(codename__in=names))
    client.force_login(user)
    return client


def make(number=1, **fields):
    webhook = Webhook.objects.create(**FORM | {"secret": deliveries.new_secret()} | fields)
    for n in range(number):
        WebhookDelivery.objects.create(
            webhook=webhook,
            sees_all=webhook.sees_all,
            message_id=f"m{n}",
            type="event.deleted",
            event_id=n,
            body='{"a": 1}',
        )
    return webhook


def test_a_webhook_is_made_with_a_secret_that_its_page_shows(operator):
    answer = operator.post(page("webhook"), {**FORM, "is_active": "on"}, follow=True)

    webhook = Webhook.objects.get()
    assert answer.status_code == 200
    assert (webhook.types, webhook.is_active) == (["event.deleted"], True)
    assert webhook.secret in operator.get(page("webhook", webhook.pk)).content.decode()
    assert webhook.secret not in operator.get(page("webhook", "list")).content.decode()


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"url": "http://127.0.0.1/hook"}, "leads to an address that is not public"),
        ({"url": "http://[::ffff:10.0.0.1]/"}, "leads to an address that is not public"),
        ({"url": "ftp://example.org/"}, "begin with http:// or https://"),
        ({"url": "http://a:b@93.184.216.34/"}, "must not contain a user name or password"),
        ({"types": []}, "This field is required"),
        ({"types": ["x"]}, "Select a valid choice"),
        ({"sees_all": "on", "url": "http://93.184.216.34/"}, "only sent to https:// addresses"),
    ],
)
def test_a_webhook_that_cannot_work_is_refused(operator, fields, sentence):
    answer = operator.post(page("webhook"), FORM | fields)

    assert sentence in answer.content.decode()
    assert not Webhook.objects.exists()


def test_who_may_not_read_drafts_gets_no_webhook_that_does(limited):
    answer = limited.post(page("webhook"), {**FORM, "sees_all": "on"})

    assert "You may not read all events" in answer.content.decode()
    assert not Webhook.objects.exists()


def test_who_may_not_read_drafts_neither_sees_nor_redirects_them(limited):
    webhook = make(sees_all=True, name="Inner")

    for model in ("webhook", "webhookdelivery"):
        assert "Inner" not in limited.get(page(model, "list")).content.decode()
    limited.post(page("webhook", webhook.pk), {**FORM, "sees_all": "on"})
    webhook.refresh_from_db()
    assert webhook.name == "Inner"


@pytest.mark.attack
def test_what_a_webhook_was_told_of_drafts_stays_hidden_once_it_is_told_no_more(limited):
    webhook = make(sees_all=True)
    make(name="Public")
    Webhook.objects.update(sees_all=False)
    secret, public = webhook.deliveries.get(), WebhookDelivery.objects.get(sees_all=False)

    listed = limited.get(page("webhookdelivery", "list"))
    assert [*listed.context["cl"].result_list] == [public]
    assert limited.get(page("webhookdelivery", secret.pk)).status_code == 302
    data = {"action": "send_again", "_selected_action": [secret.pk]}
    limited.post(page("webhookdelivery", "list"), data)
    assert not DBTaskResult.objects.exists()


@pytest.mark.attack
def test_the_filter_of_deliveries_names_no_hidden_webhook(limited):
    make(name="Inner", sees_all=True)
    for name in ("Mirror", "Other"):
        make(name=name)

    answer = limited.get(page("webhookdelivery", "list")).content.decode()

    assert "Other" in answer
    assert "Inner" not in answer


def test_a_message_that_its_webhook_may_no_longer_have_is_not_sent_again(operator):
    webhook = make(2, sees_all=True)
    Webhook.objects.update(sees_all=False)
    data = {"action": "send_again", "_selected_action": [d.pk for d in webhook.deliveries.all()]}

    answer = operator.post(page("webhookdelivery", "list"), data, follow=True).content.decode()

    assert "“event.deleted 0” is not sent: It shows what the public may not see" in answer
    assert "Sent again: 0." in answer
    assert not DBTaskResult.objects.exists()


def test_editors_do_not_administer_webhooks(user, client):
    make()

    assert client.get(page("webhook", "list")).status_code == 403
    assert client.get(page("webhookdelivery", "list")).status_code == 403


def test_deliveries_are_listed_shown_and_sent_again(operator):
    make(2)
    delivery = WebhookDelivery.objects.first()
    WebhookDelivery.objects.update(status="failed", outcome="No answer.")

    listed = operator.get(page("webhookdelivery", "list")).content.decode()
    shown = operator.get(page("webhookdelivery", delivery.pk)).content.decode()
    data = {"action": "send_again", "_selected_action": [delivery.pk]}
    operator.post(page("webhookdelivery", "list"), data)

    delivery.refresh_from_db()
    assert "No answer." in listed
    assert "&quot;a&quot;: 1" in shown
    assert delivery.webhook.secret not in listed + shown
    assert (delivery.status, DBTaskResult.objects.count()) == ("waiting", 1)


def test_a_secret_is_replaced(operator):
    webhook = make()
    data = {"action": "replace_secret", "_selected_action": [webhook.pk]}

    operator.post(page("webhook", "list"), data)

    assert Webhook.objects.get().secret != webhook.secret


@pytest.mark.parametrize("model", ["webhook", "webhookdelivery"])
def test_lists_take_as_many_queries_for_three_as_for_one(operator, model):
    def queries():
        with CaptureQueriesContext(connection) as done:
            assert operator.get(page(model, "list")).status_code == 200
        return len(done)

    make()
    queries()
    one = queries()
    for n in "ab":
        make(1, name=n)

    assert queries() == one


@pytest.mark.attack
def test_who_may_only_look_is_shown_where_a_webhook_leads_but_no_path(limited):
    webhook = make(url="https://hooks.example.org/services/T0/opensesame?k=v")
    places = [page("webhook", "list"), page("webhook", webhook.pk)]
    assert webhook.url in limited.get(places[1]).content.decode()
    looking = Permission.objects.filter(codename="view_webhook")
    limited.get(places[0]).wsgi_request.user.user_permissions.set(looking)

    for place in places:
        text = limited.get(place).content.decode()
        assert "https://hooks.example.org/…" in text
        assert "opensesame" not in text
    found = limited.get(places[0], {"q": "services/T0"})
    assert not found.context["cl"].result_list


def test_the_address_of_a_list_guesses_no_secret(limited):
    webhook = make()

    for query in ({"secret__startswith": webhook.secret[:7]}, {"url__regex": "(("}):
        assert limited.get(page("webhook", "list"), query).status_code == 400
    assert limited.get(page("webhook", "list"), {"is_active__exact": "1"}).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_webhooks_in_a_browser(viewer, published_site):
    published_site.page("/hook", status=503)
    page = viewer.page
    viewer.open("/admin/calendar_app/webhook/add/")
    page.get_by_label("Name").fill("Town’s web site")
    page.get_by_label("URL").fill(published_site.url("/hook"))
    viewer.inspect("webhook-add", "#webhook_form")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("was added successfully")).to_be_visible()
    viewer.inspect("webhooks", "#changelist")
    page.get_by_role("link", name="Town’s web site").first.click()
    expect(page.get_by_text("whsec_")).to_be_visible()
    viewer.inspect("webhook", "#webhook_form")

    EventFactory(title="Fair")
    for path in ("make_messages", "deliver"):
        job = DBTaskResult.objects.get(task_path__endswith=path)
        job.task.call(*job.args_kwargs["args"])
    WebhookDelivery.objects.update(status="failed")
    viewer.open("/admin/calendar_app/webhookdelivery/")
    viewer.inspect("webhook-deliveries", "#changelist")
    page.locator("input.action-select").check()
    page.locator("select[name=action]").select_option("send_again")
    page.get_by_role("button", name=re.compile("Run|Go")).click()  # Unfold's or Django's
    expect(page.get_by_text("Sent again: 1.")).to_be_visible()
    expect(page.locator("#result_list").get_by_text("Waiting")).to_be_visible()

    page.locator("#result_list tbody a").first.click()
    expect(page.get_by_text("answered with status 503")).to_be_visible()
    viewer.inspect("webhook-delivery", "#webhookdelivery_form")
