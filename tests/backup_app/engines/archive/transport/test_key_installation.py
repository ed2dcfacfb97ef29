import shutil

import pytest

from backup_app.engines.archive.transport import key_installation, server_key
from backup_app.exceptions import EngineError, EngineUnreachable, WrongState
from backup_app.models import Client
from tests.support.waiting import free_port

from ....support.factories import ClientFactory
from ....support.machine import sshd
from ....support.machine.secret_watch import WatchedProcesses

PASSWORD = "très geheim 'x' $HOME \\n"

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def keys(settings, tmp_path):
    settings.BACKUP_ROOT = str(tmp_path / "backups")
    settings.BACKUP_INSTALL_KEYS = True
    return tmp_path / "backups" / "keys"


@pytest.fixture(scope="module")
def user():
    """A user of this machine with the password: its name and home folder."""
    with sshd.local_user(PASSWORD) as user:
        yield user


@pytest.fixture
def home(user):
    """The user's home folder, without SSH keys."""
    yield user[1]
    shutil.rmtree(user[1] / ".ssh", ignore_errors=True)


@pytest.fixture
def client(user, ssh_server):
    return make_client(ssh_user=user[0], ssh_port=ssh_server.port)


def make_client(**attributes):
    return ClientFactory(**{"name": "web1", "ip": "127.0.0.1", "connection": "ssh"} | attributes)


def refusal_of(client, password=PASSWORD):
    with pytest.raises((EngineError, WrongState)) as refusal:
        key_installation.install_key(client, password)
    return refusal.value


def test_the_key_can_log_in_afterwards(client, home):
    key_installation.install_key(client, PASSWORD)

    keys = home / ".ssh/authorized_keys"
    assert keys.read_text() == f"\nrestrict {server_key.public_key()}\n"
    assert keys.stat().st_mode & 0o777 == 0o600
    assert keys.parent.stat().st_mode & 0o777 == 0o700
    assert keys.owner() == home.owner()


def test_host_key_that_was_seen_is_pinned(client, home, ssh_server):
    key_installation.install_key(client, PASSWORD)

    assert Client.objects.get(pk=client.pk).host_key == f"{ssh_server.host_key}\n"


def test_key_installed_again_is_there_once(client, home):
    key_installation.install_key(client, PASSWORD)

    key_installation.install_key(client, PASSWORD)

    keys = (home / ".ssh/authorized_keys").read_text()
    assert keys == f"\nrestrict {server_key.public_key()}\n"


def test_wrong_password_is_refused(client, home, user):
    refusal = refusal_of(client, "wrong")

    assert refusal.message == (
        f"Client 'web1' at 127.0.0.1 rejected the password of '{user[0]}': it is wrong, or its "
        "SSH server does not allow this user to log in by password."
    )
    assert Client.objects.get(pk=client.pk).host_key == ""
    assert not (home / ".ssh/authorized_keys").exists()


def test_a_home_folder_that_takes_no_key_is_named(client, home):
    (home / ".ssh").touch()
    try:
        refusal = refusal_of(client)
    finally:
        (home / ".ssh").unlink()

    assert refusal.message.startswith("Client 'web1' at 127.0.0.1 did not accept the key. ")
    assert Client.objects.get(pk=client.pk).host_key == ""


def test_unreachable_client_is_named():
    client = make_client(ssh_port=free_port())

    refusal = refusal_of(client)

    assert isinstance(refusal, EngineUnreachable)
    assert refusal.message.startswith("Client 'web1' at 127.0.0.1 cannot be reached. ssh: connect")
    assert refusal.message.endswith("Connection refused")


def test_a_server_that_does_not_answer_times_out(monkeypatch):
    monkeypatch.setattr(key_installation, "SECONDS", 1)
    with sshd.silent_port() as port:
        refusal = refusal_of(make_client(ssh_port=port))

    assert isinstance(refusal, EngineUnreachable)
    assert refusal.message == "Client 'web1' did not answer within 1 seconds."


def test_other_host_key_than_the_pinned_is_refused(client, home):
    pinned = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
    Client.objects.filter(pk=client.pk).update(host_key=pinned)
    client.refresh_from_db()

    refusal = refusal_of(client)

    assert refusal.message == (
        "Client 'web1' at 127.0.0.1 presents a host key other than the pinned one, so the password "
        "was not sent."
    )
    assert Client.objects.get(pk=client.pk).host_key == pinned
    assert not (home / ".ssh/authorized_keys").exists()


def test_a_server_that_ignores_authorized_keys_is_reported(user, home):
    with sshd.serving("Match all\nAuthorizedKeysFile none") as server:
        refusal = refusal_of(make_client(ssh_user=user[0], ssh_port=server.port))

    assert refusal.message == (
        f"Client 'web1' has the key in ~/.ssh/authorized_keys of '{user[0]}', but its SSH server "
        "rejects it: see AuthorizedKeysFile, PubkeyAuthentication and PermitRootLogin there."
    )


def test_server_without_password_logins_is_named(user, home):
    with sshd.serving("PasswordAuthentication no\nKbdInteractiveAuthentication yes") as server:
        refusal = refusal_of(make_client(ssh_user=user[0], ssh_port=server.port))

    assert refusal.message.startswith("Client 'web1' at 127.0.0.1 rejected the password of")


def test_the_password_appears_nowhere_on_this_machine(
    client, home, keys, caplog, monkeypatch, tmp_path
):
    seen = tmp_path / "seen"
    wait = f"while [ ! -e {seen} ]; do sleep 0.05; done; printf"
    monkeypatch.setattr(
        key_installation, "ASKPASS", key_installation.ASKPASS.replace("printf", wait)
    )

    with WatchedProcesses(PASSWORD, "askpass", seen) as watched:
        key_installation.install_key(client, PASSWORD)

    assert watched.programs >= {b"ssh", b"askpass"}
    assert watched.found == []
    assert PASSWORD not in caplog.text
    assert PASSWORD not in str(list(Client.objects.values()))
    left = {path.name for path in keys.iterdir()}
    assert left == {"id_ed25519", f"known_hosts-{client.pk}"}


@pytest.mark.parametrize("password", ["", "two\nlines", "x" * 1001])
def test_password_that_nobody_can_type_is_refused(client, password):
    assert refusal_of(client, password).message == (
        "A password is 1 to 1000 characters long, without line breaks and tabs."
    )


def test_nothing_is_done_unless_the_operator_turned_it_on(client, home, settings):
    settings.BACKUP_INSTALL_KEYS = False

    refusal = refusal_of(client)

    assert isinstance(refusal, WrongState)
    assert refusal.message == "Installing keys by password is turned off (BACKUP_INSTALL_KEYS)."
    assert not (home / ".ssh").exists()


def test_client_that_is_this_machine_needs_no_key():
    refusal = refusal_of(make_client(connection="local"))

    assert refusal.message == "Client 'web1' is not backed up over SSH and needs no key."
