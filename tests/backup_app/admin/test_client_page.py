"""The panel above the form of a client, and its buttons."""

import pytest
from django.contrib.auth.models import Permission, User
from django.urls import reverse

from backup_app.engines.archive.transport import server_key
from backup_app.models import Client, Job

from ..support.answering_engine import answering_engine
from ..support.estate import backup
from ..support.factories import ClientFactory, JobFactory

pytestmark = pytest.mark.django_db
BUTTONS = ["back_up_now", "verify_newest", "test_connection"]
PAGES = ["host_key", "install_script"]


def page(client, machine):
    return client.get(reverse("admin:backup_app_client_change", args=[machine.pk]))


def url(name, machine):
    return reverse(f"admin:backup_app_client_{name}", args=[machine.pk])


def press(client, name, machine, **sent):
    """Press a button; return what the page says then."""
    response = client.post(url(name, machine), sent, follow=True)
    return [str(message) for message in response.context["messages"]]


def operator(client, *permissions):
    user = User.objects.create_user("operator@example.org", is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__in=permissions))
    client.force_login(user)
    return user


def test_the_last_days_are_told_by_how_their_backups_ended(client, staff):
    machine = ClientFactory()
    for days, status in [(1, "failed"), (2, "failed"), (2, "completed"), (3, "warnings")]:
        backup(machine, hours_ago=24 * days, status=status)
    backup(machine, hours_ago=24 * 4)
    backup(machine, hours_ago=24 * 40)
    JobFactory(client=machine, type="verify", status="failed")

    days = page(client, machine).context["report"].days

    assert [day.state for day in days[-5:]] == [
        "completed",
        "warnings",
        "warnings",
        "failed",
        "none",
    ]
    assert {day.state for day in days[:-5]} == {"none"}
    assert len(days) == 30


def test_a_schedule_is_told_in_words(client, staff):
    machine = ClientFactory(fileset__schedule="30 2 * * *")

    answer = page(client, machine)

    assert answer.context["report"].schedule == "at 02:30, every day"
    assert "No schedule" in page(client, ClientFactory()).content.decode()


def test_a_backup_and_its_verification_are_started(client, staff):
    machine = ClientFactory()
    backup(machine, hours_ago=1)

    said = press(client, "back_up_now", machine, level="Full")
    said += press(client, "verify_newest", machine)

    started = Job.objects.filter(status="queued").order_by("pk")
    assert [(job.type, job.level, job.requested_by) for job in started] == [
        ("backup", "Full", "staff@example.org"),
        ("verify", None, "staff@example.org"),
    ]
    assert said[0] == f"Backup {started[0].pk} started."


def test_what_cannot_be_done_is_said(client, staff):
    machine = ClientFactory(name="web1")

    assert press(client, "verify_newest", machine) == ["Client 'web1' has no backup to verify."]
    assert "Unknown level 'Huge'" in press(client, "back_up_now", machine, level="Huge")[0]
    with answering_engine(unreachable=True):
        assert press(client, "host_key", machine, key="x") != []


def test_a_connection_is_tested(client, staff):
    machine = ClientFactory(name="web1", connection="ssh", ip="127.0.0.1", ssh_port=1)

    assert press(client, "test_connection", ClientFactory(name="here")) == [
        "Client 'here' answers, and can be backed up."
    ]
    assert "web1" in press(client, "test_connection", machine)[0]


def test_a_host_key_is_pinned_once_it_was_compared(client, staff, ssh_server):
    machine = ClientFactory(connection="ssh", ip="127.0.0.1", ssh_port=ssh_server.port)

    shown = client.get(url("host_key", machine)).content.decode()
    machine.refresh_from_db()

    assert server_key.fingerprint(ssh_server.host_key) in shown
    assert machine.host_key == ""
    press(client, "host_key", machine, key=ssh_server.host_key)
    machine.refresh_from_db()
    assert machine.host_key == f"{ssh_server.host_key}\n"
    assert "pinned already" in client.get(url("host_key", machine)).content.decode()


@pytest.mark.parametrize("key", ["", "x", "ssh-ed25519 AAAA", "-oProxyCommand=id"])
def test_what_is_no_host_key_is_not_pinned(client, staff, key):
    machine = ClientFactory(connection="ssh")

    press(client, "host_key", machine, key=key)

    machine.refresh_from_db()
    assert machine.host_key == ""


def test_the_machine_of_another_account_is_not_pinned(client, staff, ssh_server):
    ClientFactory(host_key=ssh_server.host_key)
    machine = ClientFactory(name="mine", connection="ssh")

    said = press(client, "host_key", machine, key=ssh_server.host_key)

    machine.refresh_from_db()
    assert said == ["The machine of client 'mine' is a client of another account."]
    assert machine.host_key == ""


def test_other_keys_replace_pinned_ones_only_when_that_was_confirmed(client, staff, ssh_server):
    machine = ClientFactory(connection="ssh", host_key="ssh-ed25519 old\n")

    press(client, "host_key", machine, key=ssh_server.host_key)
    assert Client.objects.get().host_key == "ssh-ed25519 old\n"

    press(client, "host_key", machine, key=ssh_server.host_key, replace="on")
    assert Client.objects.get().host_key == f"{ssh_server.host_key}\n"


def test_the_install_script_is_shown(client, staff, backup_root):
    shown = client.get(url("install_script", ClientFactory(connection="ssh"))).content.decode()

    assert "authorized_keys" in shown


@pytest.mark.parametrize("name", BUTTONS)
def test_buttons_need_a_post(client, staff, name):
    assert client.get(url(name, ClientFactory())).status_code == 405


@pytest.mark.parametrize("name", BUTTONS + PAGES)
def test_who_may_only_look_can_press_nothing(client, name):
    machine = ClientFactory(account=operator(client, "view_client"))

    assert client.post(url(name, machine)).status_code == 403
    assert "Back up now" not in page(client, machine).content.decode()
    assert not Job.objects.exists()


@pytest.mark.parametrize("name", BUTTONS + PAGES)
def test_clients_of_other_accounts_are_not_there(client, name):
    operator(client, "view_client", "change_client")

    assert client.post(url(name, ClientFactory())).status_code == 404
    assert not Job.objects.exists()


def test_a_button_needs_the_token_of_its_page(staff):
    from django.test import Client as Browser

    browser = Browser(enforce_csrf_checks=True)
    browser.force_login(staff)

    assert browser.post(url("back_up_now", ClientFactory())).status_code == 403


def test_a_schedule_is_previewed(client, staff):
    address = reverse("admin:backup_app_client_schedule")

    good = client.get(address, {"expression": "30 2 * * *"}).content.decode()
    bad = client.get(address, {"expression": "<b> 2 * * *"}).content.decode()

    assert good.startswith("<strong>At 02:30, every day.</strong>")
    assert good.count("<li>") == 5
    assert bad.startswith("&#x27;&lt;b&gt; 2 * * *&#x27; is not a schedule")
    assert client.get(address).content == b""
