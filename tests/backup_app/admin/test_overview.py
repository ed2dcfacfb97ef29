"""The start page of the admin: what it counts, and for whom."""

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from backup_app.models import AccountAccess

from ..support.answering_engine import answering_engine
from ..support.estate import backup, make_estate
from ..support.factories import AccountFactory, ClientFactory, StorageFactory

pytestmark = pytest.mark.django_db
PARTS = ["client", "job", "storage"]


@pytest.fixture(autouse=True)
def disk():
    with answering_engine(disk=(1000 * 10**9, 100 * 10**9)):
        yield


def overview(client):
    """Return the context of the start page's part, and its text."""
    response = client.get(reverse("admin:index"))
    return response.context, response.content.decode()


def sign_in(client, *parts):
    """Log in a member of the staff who may see lists of the service, but no account's records."""
    user = User.objects.create_user("operator@example.org", is_staff=True)
    names = [f"view_{part}" for part in parts]
    user.user_permissions.set(Permission.objects.filter(codename__in=names))
    client.force_login(user)
    return user


def test_clients_are_counted_by_their_standing_the_worst_first(client, staff):
    make_estate(staff)

    context, _ = overview(client)

    assert [(each.number, each.name) for each in context["figures"]] == [
        (1, "never backed up"),
        (1, "Overdue"),
        (1, "Failing"),
        (3, "Protected"),
    ]
    refused = "The last one failed: The connection to 192.0.2.4 port 22 was refused."
    assert [(each.client.name, each.reason) for each in context["alarms"]] == [
        ("laptop", "There is no good backup yet."),
        ("db1", f"A backup was due 2\xa0days ago. {refused}"),
        ("mail", refused),
    ]


def test_each_figure_leads_to_the_records_that_it_counts(client, staff):
    make_estate(staff)
    context, _ = overview(client)

    lists = [client.get(figure.address).context["cl"] for figure in context["figures"]]

    shown = [[each.name for each in found.result_list] for found in lists]
    assert shown == [["laptop"], ["db1"], ["mail"], ["files", "web1", "web2"]]
    assert len(client.get(context["running_address"]).context["cl"].result_list) == 2
    assert len(client.get(context["failed_address"]).context["cl"].result_list) == 2


def test_a_failed_job_is_shown_with_its_first_error(client, staff):
    job = backup(ClientFactory(name="web1"), hours_ago=5, status="failed", message="2 errors.")
    job.log.create(level="info", message="It begins.")
    job.log.create(level="error", message="/etc is unreadable.")
    job.log.create(level="error", message="/srv is unreadable.")
    backup(ClientFactory(), hours_ago=9 * 24, status="failed", message="Long ago.")

    context, page = overview(client)

    assert [each.error for each in context["failed"]] == ["/etc is unreadable."]
    assert "/etc is unreadable." in page


def test_a_storage_says_when_it_will_be_full(client, staff):
    make_estate(staff)

    [storage] = overview(client)[0]["storages"]

    # 100 GB are free, and it grows by almost 3 GB a day.
    assert (storage["days"], storage["growth"], storage["free"]) == (34, "88.0 GB", "100.0 GB")


def test_what_runs_can_be_fetched_alone(client, staff):
    make_estate(staff)

    page = client.get(reverse("admin:backup_app_job_running")).content.decode()

    assert "63 %" in page
    assert "<html" not in page


def test_staff_see_the_accounts_that_they_were_given(client):
    user = sign_in(client, *PARTS)
    for name in ["ann", "bob"]:
        account = AccountFactory(username=name)
        backup(ClientFactory(account=account, name=f"of-{name}"), hours_ago=1, status="failed")
    AccountAccess.objects.create(user=user, account=User.objects.get(username="ann"))

    context, page = overview(client)

    assert [each.number for each in context["figures"]] == [1, 0, 0, 0]
    assert [each.client.name for each in context["failed"]] == ["of-ann"]
    assert "of-bob" not in page
    assert len(context["storages"]) == 1


@pytest.mark.parametrize("parts", [[], ["client"], ["job"], ["storage"]])
def test_sections_are_for_those_who_may_see_their_records(client, parts):
    user = sign_in(client, *parts)
    make_estate(user)

    page = overview(client)[1]

    assert ("Never backed up" in page) == ("client" in parts)
    assert ("Running and queued" in page) == ("job" in parts)
    assert ("Growth in 30 days" in page) == ("storage" in parts)
    response = client.get(reverse("admin:backup_app_job_running"))
    assert response.status_code == (200 if "job" in parts else 403)


def test_it_takes_as_many_queries_for_many_records_as_for_few(client, staff):
    make_estate(staff)
    overview(client)
    with CaptureQueriesContext(connection) as few:
        overview(client)
    for _ in range(3):
        backup(ClientFactory(pool__storage=StorageFactory()), hours_ago=1, status="failed")
    with CaptureQueriesContext(connection) as many:
        overview(client)

    assert len(few) == len(many) <= 20
