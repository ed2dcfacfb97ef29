import socket

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from config.management.commands.serve import _tasks
from tests.support.waiting import free_port


@pytest.fixture
def taken_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        yield str(listener.getsockname()[1])


def refusal(**options):
    with pytest.raises(CommandError) as refused:
        call_command("serve", **options)
    return str(refused.value)


def test_a_port_in_use_is_reported(taken_port):
    assert refusal(port=taken_port) == (
        f"Port {taken_port} of '127.0.0.1' is not available: Address already in use. "
        "Set PORT or HOST to another value."
    )


@pytest.mark.parametrize("port", ["web", "0", "65536", "-1", "²"])
def test_a_wrong_port_is_named(port):
    assert refusal(port=port) == f"PORT is '{port}', which is not a number from 1 to 65535."


def test_an_unknown_host_is_named():
    assert "of 'no.such.host.invalid' is not available" in refusal(host="no.such.host.invalid")


def test_at_least_one_web_worker_is_needed():
    told = refusal(port=str(free_port()), web_workers=0)

    assert told == "--web-workers, --threads and --backup-workers must be 1 or more."


def test_backups_do_not_delay_other_tasks():
    tasks = _tasks(None, web_workers=2, threads=4, backup_workers=2)

    assert {name: task.args for name, task in tasks.items()} == {
        "web worker 1": (None, 4),
        "web worker 2": (None, 4),
        "background worker": ("--exclude-queues=backups",),
        "backup worker 1": ("--queue-name=backups",),
        "backup worker 2": ("--queue-name=backups",),
    }
