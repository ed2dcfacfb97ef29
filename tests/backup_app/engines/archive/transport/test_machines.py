"""``machines.py``: which machine, which folders, which command line."""

import shlex
import subprocess

import pytest

from backup_app.engines.archive.transport.machines import (
    LocalMachine,
    SshMachine,
    machine_for,
    pin_command,
    quote,
    require_connection,
)
from backup_app.exceptions import EngineError, EngineUnreachable
from backup_app.models import Client
from tests.support.waiting import free_port

from ....support.factories import ClientFactory
from ....support.local_backups import over_ssh


@pytest.fixture
def root(tmp_path, settings):
    (tmp_path / "root/a").mkdir(parents=True)
    (tmp_path / "rooter").mkdir()
    settings.BACKUP_LOCAL_ROOTS = str(tmp_path / "root")
    return tmp_path / "root"


@pytest.mark.parametrize("path", ["", "/a", "/a/missing"])
def test_what_is_below_a_root_is_allowed(root, path):
    LocalMachine().require_allowed(bytes(root) + path.encode())


@pytest.mark.parametrize("path", ["/..", "er", "/../rooter", "/link", "/link/etc"])
def test_what_is_outside_of_the_roots_is_refused(root, path):
    (root / "link").symlink_to("/")

    with pytest.raises(EngineError, match="is not below a folder that may be backed up"):
        LocalMachine().require_allowed(bytes(root) + path.encode())


def test_nothing_is_allowed_where_no_root_is_listed(settings, tmp_path):
    settings.BACKUP_LOCAL_ROOTS = ""

    with pytest.raises(EngineError):
        LocalMachine().require_allowed(bytes(tmp_path))


@pytest.mark.parametrize("word", [b"", b"a b", b"it's", b"\xff\n$(id)`", b"-x", "ä*"])
def test_a_shell_reads_a_quoted_word_as_it_is(word):
    script = b"printf %s " + quote(word)

    got = subprocess.run(["sh", "-c", script], capture_output=True, check=True).stdout

    assert got == (word.encode() if isinstance(word, str) else word)


@pytest.mark.django_db
class TestClients:
    def test_a_local_client_is_this_machine(self):
        assert machine_for(ClientFactory(connection="local")).local

    def test_a_client_without_a_pinned_host_key_is_refused(self):
        client = ClientFactory(connection="ssh", name="web")

        with pytest.raises(EngineError, match="Client 'web' has no pinned SSH host key"):
            machine_for(client)

    def test_a_windows_client_is_refused(self):
        with pytest.raises(EngineError, match="runs windows"):
            machine_for(ClientFactory(system="windows"))

    def test_a_client_with_an_agent_is_refused(self):
        with pytest.raises(EngineError, match="connected by 'agent'"):
            machine_for(ClientFactory(connection="agent"))

    def test_the_pinned_keys_are_the_only_known_hosts(self, settings, tmp_path):
        settings.BACKUP_ROOT = str(tmp_path)
        client = ClientFactory(connection="ssh", host_key="ssh-ed25519 AAA\nssh-rsa BBB\n")

        SshMachine(client)._known_hosts()

        alias = f"client-{client.pk}"
        known = tmp_path / f"keys/known_hosts-{client.pk}"
        assert known.read_text() == f"{alias} ssh-ed25519 AAA\n{alias} ssh-rsa BBB\n"
        assert (tmp_path / "keys").stat().st_mode & 0o777 == 0o700


@pytest.mark.django_db
@pytest.mark.usefixtures("backup_root")
class TestConnections:
    def test_a_machine_that_lets_us_in_is_in_order(self, ssh_server):
        require_connection(ClientFactory(**over_ssh(ssh_server)))
        require_connection(ClientFactory(connection="local"))

    def test_a_machine_that_does_not_answer_is_unreachable(self, ssh_server):
        client = ClientFactory(**over_ssh(ssh_server) | {"ssh_port": free_port()}, name="web1")

        with pytest.raises(EngineUnreachable, match=r"^Client 'web1' cannot be reached at 127"):
            require_connection(client)

    def test_another_machine_at_the_same_address_is_refused(self, ssh_server):
        other = {"host_key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIDYuLx"}
        client = ClientFactory(**over_ssh(ssh_server) | other)

        with pytest.raises(EngineUnreachable, match="Host key verification failed"):
            require_connection(client)

    def test_a_machine_without_gnu_find_is_named(self, monkeypatch, tmp_path):
        (tmp_path / "find").write_text("#!/bin/sh\necho BusyBox\n")
        (tmp_path / "find").chmod(0o700)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")

        with pytest.raises(EngineError, match=r"^Client 'nas' has no GNU findutils"):
            require_connection(ClientFactory(connection="local", name="nas"))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("web1", ["web1"]),
        ("--settings=evil", ["--", "--settings=evil"]),
        ("x'; rm -rf ~ #", ["x'; rm -rf ~ #"]),
    ],
)
def test_a_name_does_nothing_to_who_pins_the_key_by_it(name, words):
    assert shlex.split(pin_command(Client(name=name)))[2:] == words
