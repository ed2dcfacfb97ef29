"""Staff see and change the records of the accounts that they were given, and no others."""

from importlib import import_module
from types import SimpleNamespace

import pytest
from django.apps import apps
from django.contrib.auth.models import Group, Permission, User
from django.db import connection
from django.urls import reverse

from backup_app.models import AccountAccess, Client, Mailbox, Pool

from ...support.admin_lists import list_url, shown, suggested
from ..support.admin_pages import act, add, change
from ..support.factories import (
    AccountFactory,
    ClientFactory,
    FilesetFactory,
    JobFactory,
    PoolFactory,
    SubuserFactory,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def operator(client):
    """A member of the staff with all permissions of the service but to see all accounts."""
    user = User.objects.create_user("operator@example.org", is_staff=True)
    ours = Permission.objects.filter(content_type__app_label="backup_app")
    user.user_permissions.set(ours.exclude(codename="all_accounts"))
    client.force_login(user)
    return user


@pytest.fixture
def others():
    """A job of an account that the operator was not given."""
    return JobFactory(client__name="others", status="completed")


def url(record, page="change"):
    name = f"admin:backup_app_{record._meta.model_name}_{page}"
    return reverse(name, args=[record.pk])


@pytest.mark.parametrize("factory", [ClientFactory, PoolFactory, FilesetFactory, SubuserFactory])
def test_lists_and_pages_are_of_the_own_and_the_given_accounts(client, operator, factory):
    given = AccountFactory()
    AccountAccess.objects.create(user=operator, account=given)
    own, seen, hidden = (factory(account=each) for each in (operator, given, AccountFactory()))

    found = client.get(list_url(type(own))).context["cl"].result_list

    assert {each.pk for each in found} == {own.pk, seen.pk}
    assert [client.get(url(each)).status_code for each in (own, seen, hidden)] == [200, 200, 302]


def test_jobs_of_others_are_neither_listed_nor_shown_nor_browsed(client, operator, others):
    assert client.get(list_url(type(others))).context["cl"].result_list.count() == 0
    assert client.get(url(others)).status_code == 302
    assert client.get(url(others, "browse")).status_code == 404
    assert "others" not in client.get(reverse("admin:index")).content.decode()


def test_an_action_leaves_the_clients_of_others_alone(client, operator, others):
    act(client, "mark_deleted", others.client)

    assert Client.objects.present().count() == 1


def test_a_record_is_not_added_to_an_account_of_others(client, operator):
    pool = PoolFactory()
    sent = {"name": "mine", "storage": pool.storage_id, "retention_days": 9, "keep_full": 1}

    response = add(client, Pool, sent | {"account": pool.account_id})

    assert "account" in response.context["adminform"].form.errors
    assert Pool.objects.get() == pool
    add(client, Pool, sent | {"account": operator.pk})
    assert Pool.objects.get(account=operator).name == "mine"


def test_a_record_is_not_linked_to_one_of_others(client, operator, others):
    own = ClientFactory(account=operator)
    box = Mailbox.objects.create(client=own, mailbox="box@example.org")

    change(client, box, {"mailbox": "box@example.org", "client": others.client_id})

    box.refresh_from_db()
    assert box.client == own


def test_filters_and_suggestions_do_not_tell_the_names_of_others(client, operator, others):
    ClientFactory(account=operator, name="own")

    response = client.get(list_url(type(others)), {"client__id__exact": others.client_id})

    assert "others" not in response.content.decode()
    assert suggested(client, Mailbox, "client") == ["own"]


def test_who_may_see_all_accounts_does(client, operator, others):
    operator.user_permissions.add(Permission.objects.get(codename="all_accounts"))

    assert shown(client, Client) == ["others"]


def test_an_upgrade_lets_those_with_permissions_see_all_accounts_as_before():
    Permission.objects.filter(codename="all_accounts").delete()
    view = Permission.objects.get(codename="view_job")
    user, other = (User.objects.create_user(name) for name in ("user", "other"))
    group = Group.objects.create(name="operators")
    user.user_permissions.add(view)
    group.permissions.add(view)
    migration = import_module("backup_app.migrations.0004_usage_and_access")

    migration.keep_what_staff_saw(apps, SimpleNamespace(connection=connection))

    other.groups.add(group)
    users = User.objects.filter(pk__in=[user.pk, other.pk])
    assert all(each.has_perm("backup_app.all_accounts") for each in users)
