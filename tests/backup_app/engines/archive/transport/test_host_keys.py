import io
import json

import pytest
from django.core.management import CommandError, call_command

from backup_app.engines.archive.transport import host_keys, server_key
from backup_app.exceptions import EngineUnreachable, WrongState
from backup_app.models import Client
from tests.support.waiting import free_port

from ....support.factories import ClientFactory

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
OTHER = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGZ2ZwKWzJNzqzAW7Wq3Yl3H1RvWJ3fOaA1C7gcn4uJ0"

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(ssh_server):
    return make_client(ssh_port=ssh_server.port)


def make_client(**attributes):
    return ClientFactory(**{"name": "web1", "ip": "127.0.0.1", "connection": "ssh"} | attributes)


def pinned(client):
    return Client.objects.get(pk=client.pk).host_key


def run_command(*arguments):
    out = io.StringIO()
    call_command("pin_host_key", *arguments, stdout=out)
    return out.getvalue()


def test_host_keys_are_those_that_the_server_shows(client, ssh_server):
    assert host_keys.scan_host_keys(client) == [ssh_server.host_key]


def test_unreachable_client_is_named():
    port = free_port()

    with pytest.raises(EngineUnreachable) as refusal:
        host_keys.scan_host_keys(make_client(ssh_port=port))

    assert refusal.value.message == (
        f"Client 'web1' presented no host key at 127.0.0.1, port {port}."
    )


def test_first_keys_are_pinned():
    client = make_client()

    host_keys.pin(client, [KEY, OTHER])

    assert client.host_key == pinned(client) == f"{KEY}\n{OTHER}\n"


def test_key_that_is_pinned_may_be_pinned_again():
    client = make_client(host_key=f"{KEY}\n{OTHER}\n")

    host_keys.pin(client, [KEY])

    assert pinned(client) == f"{KEY}\n{OTHER}\n"


def test_other_key_replaces_none():
    client = make_client(host_key=KEY)

    with pytest.raises(WrongState) as refusal:
        host_keys.pin(client, [OTHER])

    assert refusal.value.message == (
        "Client 'web1' presents a host key other than the pinned one. If its SSH server was "
        "reinstalled, pin the new key: manage.py pin_host_key --replace."
    )
    assert pinned(client) == KEY


def test_of_two_who_pin_at_once_the_second_sees_the_first():
    client = make_client()
    late = Client.objects.get(pk=client.pk)
    host_keys.pin(client, [KEY])

    with pytest.raises(WrongState):
        host_keys.pin(late, [OTHER])

    assert pinned(client) == f"{KEY}\n"


def test_other_key_replaces_the_pinned_one_on_request():
    client = make_client(host_key=KEY)

    host_keys.pin(client, [OTHER], replace=True)

    assert pinned(client) == f"{OTHER}\n"


def test_command_pins_and_shows_the_fingerprint(client, ssh_server):
    printed = run_command("web1", "--yes")

    assert printed == (
        "'web1' (127.0.0.1) is pinned to:\n"
        f"  ssh-ed25519 {server_key.fingerprint(ssh_server.host_key)}\n"
    )
    assert pinned(client) == f"{ssh_server.host_key}\n"


def test_command_answers_json(client, ssh_server):
    printed = run_command("web1", "--yes", "--format", "json")

    value = server_key.fingerprint(ssh_server.host_key)
    assert json.loads(printed) == {
        "client": "web1",
        "host_keys": [{"type": "ssh-ed25519", "fingerprint": value}],
    }


def test_command_shows_what_a_person_is_to_compare(client, ssh_server, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    told = io.StringIO()

    with pytest.raises(CommandError):
        call_command("pin_host_key", "web1", stderr=told)

    assert told.getvalue() == (
        "'web1' (127.0.0.1) shows:\n"
        f"  ssh-ed25519 {server_key.fingerprint(ssh_server.host_key)}\n"
        "Trust these keys? [y/N] "
    )


def test_command_pins_when_a_person_agrees(client, ssh_server, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))

    run_command("127.0.0.1")

    assert pinned(client) == f"{ssh_server.host_key}\n"


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("n\n", "Nothing was pinned."),
        ("\n", "Nothing was pinned."),
        ("", "There is no terminal to ask on; pass --yes to trust the keys."),
    ],
)
def test_command_pins_nothing_unless_a_person_agrees(client, monkeypatch, typed, sentence):
    monkeypatch.setattr("sys.stdin", io.StringIO(typed))

    with pytest.raises(CommandError) as refusal:
        run_command("web1")

    assert str(refusal.value) == sentence
    assert pinned(client) == ""


def test_command_asks_nothing_when_the_keys_are_pinned(client, ssh_server):
    host_keys.pin(client, [ssh_server.host_key])

    assert run_command("web1").startswith("'web1' (127.0.0.1) is pinned to:\n")


def test_command_replaces_a_pinned_key_only_on_request(client, ssh_server):
    host_keys.pin(client, [KEY])

    with pytest.raises(CommandError, match="presents a host key other than the pinned one"):
        run_command("web1", "--yes")
    run_command("web1", "--yes", "--replace")

    assert pinned(client) == f"{ssh_server.host_key}\n"


def test_command_refuses_an_unknown_client():
    with pytest.raises(CommandError) as refusal:
        run_command("web9")

    assert str(refusal.value) == "There is no client 'web9'."


def test_command_says_that_this_machine_has_none():
    ClientFactory(name="here", connection="local")

    with pytest.raises(CommandError) as refusal:
        run_command("here")

    assert str(refusal.value) == "Client 'here' is not backed up over SSH but 'this machine'."


def test_command_asks_whose_client_it_is(client, ssh_server):
    other = make_client(ssh_port=ssh_server.port)

    with pytest.raises(CommandError) as refusal:
        run_command("web1", "--yes")
    run_command("web1", "--yes", "--account", other.account.email)

    assert (
        str(refusal.value) == "Several clients are named 'web1': choose one with --account EMAIL."
    )
    assert (pinned(client), pinned(other)) == ("", f"{ssh_server.host_key}\n")


def test_command_refuses_the_machine_of_another_account(client, ssh_server):
    host_keys.pin(client, [ssh_server.host_key])
    thief = make_client(name="mine", ssh_port=ssh_server.port)

    with pytest.raises(CommandError) as refusal:
        run_command("mine", "--yes")

    assert str(refusal.value) == (
        f"This is the machine of client 'web1' of {client.account.email}, which 'mine' could then "
        "read and change. Pass --shared to allow it."
    )
    assert pinned(thief) == ""


def test_command_pins_a_machine_that_accounts_share(client, ssh_server):
    host_keys.pin(client, [ssh_server.host_key])
    other = make_client(name="mine", ssh_port=ssh_server.port)

    run_command("mine", "--yes", "--shared")

    assert pinned(other) == f"{ssh_server.host_key}\n"
