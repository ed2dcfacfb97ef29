"""Removing real backups, also half of the way."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.archive.storage import removal
from backup_app.engines.archive.storage.layout import manifest_path
from backup_app.engines.values import Problem
from backup_app.exceptions import EngineError, WrongState
from backup_app.jobs import retention
from backup_app.models import Entry, Job, Volume
from tests.prerequisites import as_root

from ....support.factories import JobFactory
from ....support.local_backups import back_up, volume_of
from ....support.machine.processes import run_killed

pytestmark = pytest.mark.django_db

engine = ArchiveEngine()


def stored(storage):
    """Return the files in the folders of a storage, by their path in it."""
    folder = Path(storage.path)
    return sorted(str(path.relative_to(folder)) for path in folder.glob("*/**/*") if path.is_file())


def test_nothing_of_a_removed_backup_stays(job):
    other = back_up(job.client)
    name = volume_of(other).relative_to(job.storage.path)

    engine.remove(Job.objects.get(pk=job.pk))

    assert list(Job.objects.all()) == [other]
    assert set(Entry.objects.values_list("job", flat=True)) == {other.pk}
    assert list(Volume.objects.values_list("job", flat=True)) == [other.pk]
    assert stored(other.storage) == [str(name), f"{name}.manifest"]


def test_a_backup_that_another_builds_on_is_not_removed(job, tmp_path):
    (tmp_path / "tree/new").write_text("new")
    second = back_up(job.client, "Incremental")
    before = stored(job.storage)

    with pytest.raises(WrongState) as refused:
        engine.remove(Job.objects.get(pk=job.pk))

    assert str(refused.value) == f"Backup {second.pk} builds on backup {job.pk}."
    assert stored(job.storage) == before
    assert Job.objects.filter(pk=job.pk).exists()


def test_a_chain_is_removed_from_its_end(job, tmp_path):
    (tmp_path / "tree/new").write_text("new")
    second = back_up(job.client, "Incremental")

    engine.remove(Job.objects.get(pk=second.pk))
    engine.remove(Job.objects.get(pk=job.pk))

    assert stored(job.storage) == []
    assert not Entry.objects.exists()


@pytest.mark.parametrize("kind", ["restore", "verify"])
def test_a_backup_that_is_being_read_is_not_removed(job, kind):
    reader = JobFactory(client=job.client, type=kind, parent=job, status="running")

    with pytest.raises(WrongState) as refused:
        engine.remove(Job.objects.get(pk=job.pk))

    assert str(refused.value) == f"Job {reader.pk} needs backup {job.pk} and is running."


def test_an_open_job_is_not_removed(client):
    job = JobFactory(client=client, status="running")

    with pytest.raises(WrongState) as refused:
        engine.remove(job)

    assert str(refused.value) == f"Job {job.pk} is running."


def test_a_failed_job_without_a_volume_is_removed(client):
    engine.remove(JobFactory(client=client, status="failed"))

    assert not Job.objects.exists()


def test_files_that_cannot_be_deleted_are_reported(job):
    volume = volume_of(job)
    volume.unlink()
    volume.mkdir()

    with pytest.raises(EngineError) as refused:
        engine.remove(Job.objects.get(pk=job.pk))

    assert str(refused.value) == f"The volume '{volume}' cannot be deleted: Is a directory."
    assert not Job.objects.exists()


def test_a_backup_whose_folder_is_gone_is_removed(job):
    shutil.rmtree(volume_of(job).parent)

    engine.remove(Job.objects.get(pk=job.pk))

    assert not Job.objects.exists()


@as_root
def test_no_rows_are_removed_where_the_disk_cannot_be_written_to(job):
    folder = volume_of(job).parent
    subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "none", folder], check=True)
    try:
        with pytest.raises(EngineError) as refused:
            engine.remove(Job.objects.get(pk=job.pk))
    finally:
        subprocess.run(["umount", "-l", folder], check=True)

    words = f"The volume '{volume_of(job)}' cannot be removed: Read-only file system."
    assert str(refused.value) == words
    assert Entry.objects.filter(job=job).exists()


def remove_and_die(job, step):
    """Remove a backup in a process that is killed when it comes to a step."""

    def remove():
        setattr(removal, step, lambda *args: os.kill(os.getpid(), signal.SIGKILL))
        engine.remove(Job.objects.get(pk=job.pk))

    run_killed(remove)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("delete", [False, True])
def test_a_backup_whose_removal_was_killed_is_an_orphan(job, delete):
    other = back_up(job.client)
    volume = volume_of(job)

    remove_and_die(job, "remove_volume")
    problems = list(engine.check_storage(job.storage, delete=delete))

    assert not Entry.objects.filter(job=job.pk).exists()
    assert problems == [Problem(str(volume), "This volume belongs to no job.", job.pk)]
    assert volume.exists() == manifest_path(volume).exists() == (not delete)
    assert list(engine.check_storage(job.storage)) == ([] if delete else problems)
    assert engine.list_folder(other, b"/").total > 0


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("lost", [".manifest", ""])
def test_a_half_removed_volume_is_an_orphan(job, lost):
    volume = volume_of(job)
    remove_and_die(job, "remove_volume")
    volume.with_name(volume.name + lost).unlink()

    problems = list(engine.check_storage(job.storage, delete=True))

    assert [problem.message for problem in problems] == ["This volume belongs to no job."]
    assert stored(job.storage) == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("gone", [[], [".manifest"], [".manifest", ""]])
def test_the_next_prune_finishes_a_removal_that_was_killed(job, gone):
    other = back_up(job.client)
    volume, before = volume_of(job), stored(job.storage)
    own = {str(path.relative_to(job.storage.path)) for path in (volume, manifest_path(volume))}
    remove_and_die(job, "remove_volume")
    for suffix in gone:
        volume.with_name(volume.name + suffix).unlink()

    assert list(retention.prune([job.client], dry_run=True)) == []
    assert volume.with_name(f"{volume.name}.removing").exists()
    assert list(retention.prune([job.client])) == []

    assert stored(job.storage) == sorted(set(before) - own)
    assert list(engine.check_storage(job.storage)) == []
    assert engine.list_folder(other, b"/").total > 0


@pytest.mark.django_db(transaction=True)
def test_a_removal_that_was_killed_before_the_database_knew_left_all(job):
    before = stored(job.storage)

    remove_and_die(job, "delete_job")

    words = "The removal of this backup was interrupted."
    problem = Problem(f"{volume_of(job)}.removing", words, job.pk)
    engine.finish_removals(job.storage)
    for delete in (False, True):
        assert list(engine.check_storage(job.storage, delete=delete)) == [problem]
    assert stored(job.storage) == before
    assert list(engine.check_storage(job.storage)) == []
    assert engine.list_folder(Job.objects.get(pk=job.pk), b"/").total > 0


def test_removing_from_a_missing_storage_deletes_no_rows(job):
    Path(job.storage.path).rename(f"{job.storage.path}.unmounted")

    with pytest.raises(EngineError) as refused:
        engine.remove(Job.objects.get(pk=job.pk))

    folder = job.storage.path
    assert str(refused.value) == f"The storage '{job.storage}' has no folder '{folder}'."
    assert Job.objects.filter(pk=job.pk).exists()
