"""The history of images, feeds and webhooks: the log of the admin."""

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from calendar_app.models import Feed, Webhook

from ..support.factories import UserFactory, make_image
from .test_history import text

pytestmark = pytest.mark.django_db

MAKERS = [
    lambda user: make_image(title="Bay", author=user),
    lambda user: Feed.objects.create(name="Bay", url="https://example.org/a.ics", owner=user),
    lambda user: Webhook.objects.create(name="Bay", url="https://example.org/", types=[]),
]


@pytest.fixture
def user(client):
    user = UserFactory(is_staff=True, is_superuser=True)
    client.force_login(user)
    return user


def history_of(record):
    return reverse(f"admin:calendar_app_{record._meta.model_name}_history", args=[record.pk])


def note(record, user, *fields):
    LogEntry.objects.log_actions(
        user.pk, [record], 2, [{"changed": {"fields": fields}}], single_object=True
    )


@pytest.mark.parametrize("make", MAKERS)
def test_says_who_changed_which_fields_the_newest_first(make, client, user):
    record, ann = make(user), UserFactory(username="ann@example.org")
    note(record, ann, "Name")
    note(record, user, "Address", "Active")

    said = text(client.get(history_of(record)))

    assert "History of “Bay”" in said
    newer, older = said.index(f"Changed Address and Active. by {user}"), said.index("Changed Name.")
    assert newer < older
    assert f"Changed Name. by {ann}" in said


def test_a_long_log_has_pages(client, user):
    image = make_image(author=user)
    for number in range(101):
        note(image, user, f"Field {number}.")

    assert "Page 1 of 2" in text(client.get(history_of(image)))
    assert "Changed Field 0." in text(client.get(f"{history_of(image)}?p=2"))


def test_a_record_without_a_log_says_so(client, user):
    assert "Nothing was changed here." in text(client.get(history_of(make_image(author=user))))


def test_an_import_that_somebody_asks_for_is_in_the_log(client, user):
    feed = MAKERS[1](user)

    client.post(reverse("admin:calendar_app_feed_import", args=[feed.pk]))

    assert f"Had it imported. by {user}" in text(client.get(history_of(feed)))
