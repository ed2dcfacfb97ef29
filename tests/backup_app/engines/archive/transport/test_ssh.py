"""Clients over SSH, from end to end, with a real server."""

import logging
import os

import pytest
from django.apps import apps
from django.core.serializers import serialize

from backup_app.exceptions import EngineError, EngineUnreachable
from backup_app.models import Client, Entry, Volume

from ....support.api_client import client_of
from ....support.factories import AccountFactory, StorageFactory, ZoneFactory
from ....support.local_backups import back_up, begin, local_client, over_ssh, stored, view
from ....support.machine import sshd
from ....support.machine.secret_watch import WatchedProcesses
from ....support.recording_run import Recording
from ....support.restores import begin_restore, restore

pytestmark = pytest.mark.django_db

PASSWORD = "très geheim 'x' $HOME \\n"
OTHER_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
MiB = 1024 * 1024


@pytest.fixture(autouse=True)
def place(settings, tmp_path):
    settings.BACKUP_ROOT = str(tmp_path / "backups")
    return tmp_path


@pytest.fixture
def client(place, ssh_server):
    """A client over SSH that lets the server in, whose folder ``tree`` is backed up."""
    return local_client(place, name="web1", **over_ssh(ssh_server))


class Cutting(Recording):
    """Cuts all connections when a good part of 30 MiB has been stored or restored."""

    def __init__(self, job, server):
        super().__init__(job)
        self.server = server
        self.cut = False

    def tick(self, files=None, size=None):
        super().tick(files, size)
        if not self.cut and (size or 0) > 10 * MiB:
            self.cut = True
            self.server.cut()


def files_below(folder):
    return [path for path in folder.glob("*/**/*") if path.is_file()]


def test_backup_has_what_is_on_the_client(client, place):
    (place / "tree/größer").write_bytes(b"content")
    (place / "tree/link").symlink_to("größer")
    odd = os.fsencode(place / "tree") + b"/a\n'\"$(id)\xff"
    with open(odd, "wb") as file:  # noqa: PTH123
        file.write(b"odd")

    job = back_up(client)

    tree = bytes(place / "tree")
    found = {path: entry.kind for path, entry in view(job).items() if path.startswith(tree + b"/")}
    assert (job.status, job.files, job.bytes) == ("completed", 3, 10)
    assert found == {tree + "/größer".encode(): "f", tree + b"/link": "l", odd: "f"}


def test_incremental_stores_what_changed(client, place):
    for name in "abc":
        (place / f"tree/{name}").write_text(name)
    back_up(client)
    (place / "tree/a").write_text("changed")
    (place / "tree/b").unlink()

    job = back_up(client, "Incremental")

    tree = bytes(place / "tree")
    assert (job.level, job.files, job.bytes) == ("Incremental", 1, 7)
    assert stored(job) == {tree: "d", tree + b"/a": "f", tree + b"/b": "-"}


def test_machine_needs_no_root_of_this_one(client, place, settings):
    settings.BACKUP_LOCAL_ROOTS = ""

    assert back_up(client).status == "completed"


def test_lost_connection_leaves_nothing(client, place, ssh_server):
    for number in range(30):
        (place / f"tree/{number}").write_bytes(os.urandom(MiB))
    run = Cutting(begin(client), ssh_server)

    with pytest.raises(EngineError):
        back_up(client, run=run)

    assert run.cut
    assert files_below(place / "storage") == []
    assert (Entry.objects.count(), Volume.objects.count()) == (0, 0)


def test_backup_can_be_made_after_a_lost_connection(client, place, ssh_server):
    for number in range(30):
        (place / f"tree/{number}").write_bytes(os.urandom(MiB))
    with pytest.raises(EngineError):
        back_up(client, run=Cutting(begin(client), ssh_server))

    assert back_up(client).files == 30


def test_connection_lost_in_a_restore_places_nothing(client, place, ssh_server):
    for number in range(30):
        (place / f"tree/{number}").write_bytes(os.urandom(MiB))
    backup = back_up(client)
    for path in files_below(place / "tree"):
        path.unlink()
    run = Cutting(begin_restore(backup, place / "tree"), ssh_server)

    with pytest.raises(EngineError):
        restore(backup, run=run)

    assert run.cut
    assert files_below(place / "tree") == []


def test_other_host_key_is_refused(client, place):
    client.host_key = OTHER_KEY
    client.save()

    with pytest.raises(EngineUnreachable, match="Host key verification failed"):
        back_up(client)

    assert files_below(place / "storage") == []


def test_unknown_host_key_is_refused(client, place):
    client.host_key = ""
    client.save()

    with pytest.raises(EngineError) as refusal:
        back_up(client)

    assert refusal.value.message == (
        "Client 'web1' has no pinned SSH host key: manage.py pin_host_key web1."
    )


class TestInstallation:
    """Operation 25 with the client's password, and the first backup after it."""

    @pytest.fixture
    def user(self):
        with sshd.local_user(PASSWORD) as user:
            yield user

    @pytest.fixture
    def account(self):
        return AccountFactory()

    @pytest.fixture
    def generate(self, account, user, ssh_server, place, settings, monkeypatch):
        """Call the operation; who logs in, and at which port, is for staff to say."""
        settings.BACKUP_INSTALL_KEYS = True
        (place / "storage").mkdir()
        StorageFactory(path=str(place / "storage"), zone=ZoneFactory(name="north"))
        values = {"ssh_user": user[0], "ssh_port": ssh_server.port}
        for name, value in values.items():
            monkeypatch.setattr(Client._meta.get_field(name), "default", value)
        data = {"name": "web1", "IP": "127.0.0.1", "password": PASSWORD}
        api = client_of(account)
        return lambda **changes: api.post("/api/genconfig/unix", data | changes)

    def test_client_can_be_backed_up_at_once(self, generate, user, ssh_server):
        response = generate()

        assert (response.status_code, response.json()["key_installed"]) == (200, True)
        client = Client.objects.get(name="web1")
        assert client.host_key == f"{ssh_server.host_key}\n"
        client.fileset.include = [{"path": str(user[1])}]
        client.fileset.save()
        assert back_up(client).status == "completed"

    def test_wrong_password_is_an_answer(self, generate, user):
        response = generate(password="wrong")

        assert response.status_code == 502
        assert response.json()["error"] == (
            f"Client 'web1' at 127.0.0.1 rejected the password of '{user[0]}': it is wrong, or its "
            "SSH server does not allow this user to log in by password."
        )

    def test_the_password_appears_nowhere(self, generate, place, caplog):
        caplog.set_level(logging.DEBUG)

        with WatchedProcesses(PASSWORD, "ssh", place / "seen") as watched:
            response = generate()

        assert response.json()["key_installed"] is True
        rows = "".join(
            serialize("json", model._base_manager.all())
            for model in apps.get_models()
            if model._meta.managed
        )
        kept = b"".join(path.read_bytes() for path in files_below(place))
        assert watched.found == []
        assert "web1" in rows
        for secret in (PASSWORD, PASSWORD.replace("\\", "\\\\")):
            assert secret not in rows + caplog.text + response.content.decode()
            assert secret.encode() not in kept
