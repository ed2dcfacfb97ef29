"""The groups of operators and auditors that ``migrate`` makes, and what their members may do."""

import pytest
from django.contrib.auth.models import Group, Permission, User
from django.core.checks import run_checks
from django.core.management import call_command
from django.urls import reverse

from backup_app.models import Client, Job, StaffGroup

from ...support.admin_lists import list_url
from ..support.admin_pages import act, change, done, errors
from ..support.estate import backup
from ..support.factories import ClientFactory

pytestmark = pytest.mark.django_db
OPERATORS, AUDITORS = "Backup operators", "Backup auditors"


def member(client, *groups):
    user = User.objects.create_user("member@example.org", is_staff=True)
    user.groups.set(Group.objects.filter(name__in=groups))
    client.force_login(user)
    return user


def seen(client):
    """Return the lists that the admin's index names."""
    apps = client.get(reverse("admin:index")).context["app_list"]
    return {model["object_name"].lower() for app in apps for model in app["models"]}


def verbs(group):
    permissions = Group.objects.get(name=group).permissions
    assert set(permissions.values_list("content_type__app_label", flat=True)) == {"backup_app"}
    return {name.partition("_")[0] for name in permissions.values_list("codename", flat=True)}


def test_auditors_may_only_look():
    assert verbs(AUDITORS) == {"view"}
    assert verbs(OPERATORS) == {"add", "change", "delete", "view"}


def test_nobody_of_them_sees_all_accounts_or_says_who_does(client):
    user = member(client, OPERATORS, AUDITORS)

    assert not user.has_perm("backup_app.all_accounts")
    assert not user.has_perm("backup_app.add_accountaccess")
    assert not user.has_perm("backup_app.add_apikey")
    assert "accountaccess" not in seen(client)


def test_an_operator_backs_up_the_own_clients(client):
    user = member(client, OPERATORS)
    own, other = ClientFactory(account=user), ClientFactory()

    for each in (own, other):
        act(client, "back_up", each)

    assert [job.client for job in Job.objects.all()] == [own]


def test_only_who_sees_all_accounts_backs_up_this_machine(client):
    user = member(client, OPERATORS)
    own = ClientFactory(account=user, connection="ssh")
    names = ["name", "ip", "system", "ssh_user", "ssh_port", "agent_port"]
    sent = {name: getattr(own, name) for name in names} | {"connection": "local"}
    sent |= {"pool": own.pool_id, "fileset": own.fileset_id, "zone": own.zone_id}

    assert set(errors(change(client, own, sent))) == {"connection"}
    user.user_permissions.add(Permission.objects.get(codename="all_accounts"))
    done(change(client, own, sent))

    own.refresh_from_db()
    assert own.connection == "local"


def test_an_operator_cancels_a_job(client):
    user = member(client, OPERATORS)
    job = backup(ClientFactory(account=user), hours_ago=1)
    verify = reverse("admin:backup_app_job_verify_now", args=[job.pk])

    client.post(verify)
    queued = Job.objects.get(type="verify")
    client.post(reverse("admin:backup_app_job_cancel_now", args=[queued.pk]))

    queued.refresh_from_db()
    assert queued.status == "canceled"


def test_an_auditor_sees_the_own_clients_and_changes_nothing(client):
    user = member(client, AUDITORS)
    own = ClientFactory(account=user, name="own")
    ClientFactory(name="other")

    page = client.get(list_url(Client)).content.decode()

    assert "own" in page
    assert "other" not in page
    act(client, "back_up", own)
    act(client, "mark_deleted", own)
    change = reverse("admin:backup_app_client_change", args=[own.pk])
    assert client.post(change, {"name": "mine"}).status_code == 403
    assert not Job.objects.exists()
    assert Client.objects.present().filter(name="own").exists()
    assert client.get(reverse("admin:backup_app_client_add")).status_code == 403


def test_a_group_that_was_deleted_does_not_come_back():
    Group.objects.get(name=OPERATORS).delete()

    call_command("migrate", verbosity=0)

    assert not Group.objects.filter(name=OPERATORS).exists()
    assert StaffGroup.objects.get(role="Operator").group is None


def test_a_group_of_somebody_else_gets_no_rights_and_is_named_by_a_check(settings):
    settings.BACKUP_AUDITOR_GROUP = "Accountants"
    StaffGroup.objects.get(role="Auditor").delete()
    own = Group.objects.create(name="Accountants")

    call_command("migrate", verbosity=0)

    assert not own.permissions.exists()
    found = run_checks(tags=["database"], databases=["default"])
    assert "backup_app.W005" in [each.id for each in found]


@pytest.mark.parametrize("name", ["", "Backup operators"])
def test_groups_need_names_of_their_own(settings, name):
    settings.BACKUP_AUDITOR_GROUP = name

    assert "backup_app.E017" in [each.id for each in run_checks()]
