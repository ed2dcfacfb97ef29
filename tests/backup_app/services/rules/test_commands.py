import pytest

from backup_app.engines import get_engine
from backup_app.exceptions import EngineError, EngineUnreachable
from tests.support.waiting import free_port

from ...support.factories import ClientFactory
from ...support.local_backups import over_ssh

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("backup_root")]


@pytest.fixture
def remote(ssh_server):
    """A client that lets the server in over SSH."""
    return make_client(**over_ssh(ssh_server))


@pytest.fixture(params=["local", "ssh"])
def client(request):
    """A client of each connection."""
    if request.param == "ssh":
        return request.getfixturevalue("remote")
    return make_client(connection="local")


def make_client(**attributes):
    return ClientFactory(**{"name": "web1", "ip": "127.0.0.1", "connection": "ssh"} | attributes)


def run(client, *command):
    return get_engine().run_command(client, command)


def refusal_of(client, *command):
    with pytest.raises(EngineError) as refusal:
        run(client, *command)
    return refusal.value


def test_output_is_returned(client):
    assert run(client, "printf", "a b\\n") == "a b\n"


def test_no_shell_reads_the_words(client):
    words = ["$HOME", "`id`", "a  b", "it's", "*", ";id", "|", "~", ""]

    assert run(client, "printf", "%s\\n", *words) == "".join(f"{word}\n" for word in words)


def test_what_is_no_utf8_is_shown_as_such(client):
    assert run(client, "printf", "a\\377b") == "a\N{REPLACEMENT CHARACTER}b"


def test_failure_is_told_in_the_commands_words(client):
    refusal = refusal_of(client, "ls", "/nonexistent")

    assert refusal.message == (
        "'ls /nonexistent' failed on client 'web1' (2). ls: cannot access '/nonexistent': No such "
        "file or directory"
    )


def test_slow_command_is_ended(client, settings):
    settings.BACKUP_COMMAND_SECONDS = 1

    refusal = refusal_of(client, "sleep", "600")

    assert refusal.message == "'sleep 600' took longer than 1 seconds on client 'web1'."


def test_endless_output_is_cut_off(client, settings):
    settings.BACKUP_COMMAND_MAX_BYTES = 5

    assert run(client, "yes") == "y\ny\ny\n(cut off after 5 bytes)\n"


def test_output_of_the_allowed_length_is_whole(client, settings):
    settings.BACKUP_COMMAND_MAX_BYTES = 5

    assert run(client, "printf", "12345") == "12345"


def test_missing_program_is_named(client):
    assert "'no-such-program'" in refusal_of(client, "no-such-program").message


def test_client_with_another_host_key_is_not_talked_to(remote):
    remote.host_key = (
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl"
    )

    refusal = refusal_of(remote, "hostname")

    assert isinstance(refusal, EngineUnreachable)
    assert refusal.message.startswith("Client 'web1' cannot be reached at 127.0.0.1. ")
    assert "Host key verification failed." in refusal.message


def test_client_without_a_host_key_is_not_talked_to(remote):
    remote.host_key = ""

    assert refusal_of(remote, "hostname").message == (
        "Client 'web1' has no pinned SSH host key: manage.py pin_host_key web1."
    )


def test_client_that_does_not_know_the_key_is_unreachable(ssh_server):
    client = make_client(ssh_port=ssh_server.port, host_key=ssh_server.host_key)

    refusal = refusal_of(client, "hostname")

    assert isinstance(refusal, EngineUnreachable)
    assert "Permission denied" in refusal.message


def test_client_that_is_off_is_unreachable():
    client = make_client(ssh_port=free_port(), host_key="ssh-ed25519 AAAA")

    refusal = refusal_of(client, "hostname")

    assert isinstance(refusal, EngineUnreachable)
    assert "Connection refused" in refusal.message
