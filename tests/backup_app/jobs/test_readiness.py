"""What keeps a worker from jobs is noted by it, and told by every process."""

import shutil
import socket
from pathlib import Path

import pytest
from django.utils import timezone

from backup_app.engines.archive import ArchiveEngine
from backup_app.exceptions import EngineError
from backup_app.jobs import periodic, readiness
from backup_app.models import Client, Fault

from ..support.factories import ClientFactory, StorageFactory
from ..support.local_backups import back_up, local_client, local_roots
from ..support.restores import restore

pytestmark = pytest.mark.django_db
PROGRAMS = "cp", "env", "find", "pwd", "sh", "tar"


@pytest.fixture
def machine(tmp_path):
    with local_roots(tmp_path):
        machine = local_client(tmp_path)
        (tmp_path / "tree/sub").mkdir()
        (tmp_path / "tree/sub/file").write_text("content")
        yield machine


@pytest.fixture
def without(monkeypatch, tmp_path):
    """Return what leaves this process without a program, and with the others that backups need."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in (*PROGRAMS, "chmod"):
        (programs / name).symlink_to(shutil.which(name))

    def remove(name):
        (programs / name).unlink(missing_ok=True)
        monkeypatch.setenv("PATH", str(programs))

    return remove


def here(*sentences):
    return [f"On {socket.gethostname()}: {sentence}" for sentence in sentences]


def test_a_worker_with_all_programs_reports_nothing(machine):
    periodic.tick()

    assert readiness.faults() == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_that_is_missing_is_named(machine, without, program):
    without(program)
    periodic.tick()

    assert readiness.faults() == here(f"The program '{program}' is not installed.")


def test_of_clients_over_ssh_other_programs_are_needed(machine, without):
    Client.objects.update(connection="ssh")
    without("tar")
    readiness.note_faults()

    programs = "ssh", "ssh-keygen"
    assert readiness.faults() == here(
        *(f"The program '{name}' is not installed." for name in programs)
    )


@pytest.mark.parametrize("program", ["find", "sh", "tar"])
def test_a_backup_names_the_program_that_is_missing(machine, without, program):
    without(program)

    with pytest.raises(
        EngineError, match=f"The program '{program}' is not installed on this machine"
    ):
        back_up(machine)


def test_a_restore_names_the_program_that_is_missing(machine, without, tmp_path):
    job = back_up(machine)
    without("tar")

    with pytest.raises(EngineError, match="The program 'tar' is not installed on this machine"):
        restore(job, tmp_path / "tree")


def test_a_storage_that_is_not_mounted_is_named_until_it_is(machine):
    storage = machine.pool.storage
    back_up(machine)
    folder = Path(storage.path)
    away = folder.rename(folder.with_name("away"))
    folder.mkdir()
    readiness.note_faults()

    (sentence,) = readiness.faults()
    assert sentence.startswith(
        f"On {socket.gethostname()}: The folder of storage '{storage}' has no file 'storage.label'"
    )
    folder.rmdir()
    away.rename(folder)
    readiness.note_faults()
    assert readiness.faults() == []


def test_an_unused_storage_may_be_missing(machine):
    StorageFactory(path="/nonexistent/spare")

    readiness.note_faults()

    assert readiness.faults() == []


def test_an_engine_that_cannot_be_made_is_named(settings):
    settings.BACKUP_ENGINES = {"default": {"BACKEND": "nowhere.Engine"}}

    readiness.note_faults()

    (sentence,) = readiness.faults()
    assert "nowhere" in sentence


class TestOtherWorkers:
    def test_recent_reports_of_other_workers_are_shown(self):
        Fault.objects.create(
            worker="elsewhere/42:1:1", message="The program 'tar' is not installed."
        )

        readiness.note_faults()

        assert readiness.faults() == ["On elsewhere: The program 'tar' is not installed."]
        Fault.objects.update(seen=timezone.now() - readiness.FRESH)
        assert readiness.faults() == []

    def test_what_a_dead_one_noted_is_forgotten(self):
        own = readiness.this_worker().split(":")
        Fault.objects.create(
            worker=f"{own[0]}:{own[1]}:1", message="The program 'tar' is not installed."
        )

        readiness.note_faults()

        assert Fault.objects.count() == 0

    def test_the_same_report_of_several_workers_is_shown_once(self):
        for number in range(2):
            Fault.objects.create(worker=f"elsewhere:{number}:1", message="No.")

        assert readiness.faults() == ["On elsewhere: No."]


def test_the_database_check_reports_it_too(machine, without):
    without("tar")

    assert list(ArchiveEngine().faults()) == ["The program 'tar' is not installed."]


def test_nothing_is_asked_for_each_client(machine, django_assert_num_queries):
    for _ in range(3):
        ClientFactory(pool=machine.pool, account=machine.account)
    readiness.note_faults()

    with django_assert_num_queries(3):
        readiness.note_faults()
