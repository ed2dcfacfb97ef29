"""What does not fit together in a storage."""

import json
import os
import shutil
from base64 import b64encode
from pathlib import Path

import pytest

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.archive.restore.staging import new_name
from backup_app.engines.archive.storage.layout import manifest_path
from backup_app.engines.values import Problem
from backup_app.models import Job

from ....support.factories import JobFactory, StorageFactory
from ....support.local_backups import back_up, begin, volume_of

pytestmark = pytest.mark.django_db

engine = ArchiveEngine()


@pytest.fixture
def storage(job):
    return job.storage


def check(storage, **options):
    return list(engine.check_storage(storage, **options))


def files(storage):
    return sorted(path for path in Path(storage.path).glob("*/**/*") if path.is_file())


def test_an_intact_storage_has_no_problems(job, storage, tmp_path):
    (tmp_path / "tree/new").write_text("new")
    back_up(job.client, "Incremental")
    before = files(storage)

    assert check(storage) == []
    assert check(storage, delete=True) == []
    assert files(storage) == before


def test_a_missing_volume_is_reported(job, storage):
    volume = volume_of(job)
    volume.unlink()

    assert check(storage) == [
        Problem(
            str(volume),
            f"The volume '{volume}' of backup {job.pk} cannot be read: No such file or directory.",
            job.pk,
        )
    ]


def test_a_volume_of_another_size_is_reported(job, storage):
    size = job.volume.size
    with volume_of(job).open("ab") as file:
        file.write(b"x")

    assert check(storage) == [
        Problem(
            str(volume_of(job)),
            f"The volume '{volume_of(job)}' of backup {job.pk} has {size + 1} bytes, not {size}.",
            job.pk,
        )
    ]


def test_a_missing_manifest_is_reported(job, storage):
    manifest = manifest_path(volume_of(job))
    manifest.unlink()

    assert check(storage) == [
        Problem(
            str(manifest),
            f"The manifest '{manifest}' cannot be read: No such file or directory.",
            job.pk,
        )
    ]


def test_the_manifest_of_another_volume_is_reported(job, storage, tmp_path):
    (tmp_path / "tree/new").write_text("new")
    other = back_up(job.client)
    manifest = manifest_path(volume_of(job))
    shutil.copy(manifest_path(volume_of(other)), manifest)

    assert check(storage) == [
        Problem(
            str(manifest), f"The manifest does not belong to the volume of backup {job.pk}.", job.pk
        )
    ]


def test_a_backup_without_a_volume_in_the_catalog_is_named(job, storage):
    volume = volume_of(job)
    job.volume.delete()

    found = check(storage)

    message = f"The catalog has no volume of backup {job.pk}."
    assert Problem(str(volume), message, job.pk) in found


def test_a_backup_whose_base_is_gone_is_named(job, storage, tmp_path):
    (tmp_path / "tree/new").write_text("new")
    second = back_up(job.client, "Incremental")
    Job.objects.filter(pk=second.pk).update(parent=None)

    assert check(storage) == [
        Problem(storage.path, f"The backup that backup {second.pk} builds on is gone.", second.pk)
    ]


def test_a_backup_that_the_database_lost_is_never_deleted(job, storage):
    volume, before = volume_of(job), files(storage)
    Job.objects.all().delete()

    found = check(storage, delete=True)

    words = "The database lacks this backup: rebuild_catalog restores it."
    assert found == [Problem(str(volume), words, job.pk)]
    assert files(storage) == before


@pytest.mark.parametrize("lost", ["volume", "manifest"])
def test_half_a_backup_that_no_job_has_is_deleted(job, storage, lost):
    volume = volume_of(job)
    Job.objects.all().delete()
    (volume if lost == "volume" else manifest_path(volume)).unlink()
    left = manifest_path(volume) if lost == "volume" else volume

    assert check(storage) == [Problem(str(left), "This volume belongs to no job.", job.pk)]
    assert left.exists()
    check(storage, delete=True)
    assert files(storage) == []


def test_what_cannot_be_deleted_is_reported(storage):
    strange = Path(storage.path) / "volumes/1/job-999.tar.zst"
    strange.mkdir(parents=True)

    assert [problem.message for problem in check(storage, delete=True)] == [
        "This volume belongs to no job.",
        f"The volume '{strange}' cannot be deleted: Is a directory.",
    ]


def test_what_is_removed_during_a_check_is_not_reported(job, storage):
    second = back_up(job.client)
    orphan = volume_of(job).with_name("job-999.tar.zst")
    orphan.touch()
    volume_of(job).unlink()

    found = engine.check_storage(storage)
    assert next(found).job_id == job.pk
    engine.remove(Job.objects.get(pk=second.pk))
    orphan.unlink()

    assert list(found) == []


@pytest.mark.parametrize("name", ["volumes/1/holiday.jpg", "work/holiday.jpg"])
def test_foreign_files_are_reported_and_kept(job, storage, name):
    strange = Path(storage.path) / name
    strange.parent.mkdir(exist_ok=True)
    strange.write_text("beach")

    words = "The backup service did not create this."
    assert check(storage, delete=True) == [Problem(str(strange), words)]
    assert strange.exists()


@pytest.mark.parametrize("status", ["queued", "running", "canceling"])
def test_files_of_a_running_job_are_left_alone(client, status):
    job = begin(client)
    Job.objects.filter(pk=job.pk).update(status=status)
    folder = Path(job.storage.path)
    work = folder / f"work/job-{job.pk}"
    work.mkdir(parents=True)
    (work / "volume").write_text("half")
    volume = folder / f"volumes/{client.pk}/job-{job.pk}.tar.zst"
    volume.parent.mkdir(parents=True)
    volume.write_text("whole, and not recorded yet")

    assert check(job.storage, delete=True) == []
    assert (work / "volume").exists()
    assert volume.exists()


@pytest.mark.parametrize("status", ["failed", "canceled", None])
def test_the_work_of_a_job_that_ended_is_left_over(client, status):
    job = JobFactory(client=client, status=status or "failed")
    if status is None:
        Job.objects.all().delete()
    work = Path(job.storage.path) / f"work/job-{job.pk}"
    work.mkdir(parents=True)
    (work / "volume").write_text("half")

    assert check(job.storage) == [Problem(str(work), f"Job {job.pk} left this behind.", job.pk)]
    assert work.exists()
    check(job.storage, delete=True)
    assert not work.exists()


def test_the_private_folder_of_a_killed_restore_is_left_over(client, tmp_path):
    job = JobFactory(client=client, type="restore", status="failed")
    name = os.fsdecode(new_name(job.pk))
    private = tmp_path / "tree" / name
    private.mkdir(mode=0o700)
    (private / "secret").write_text("s")
    work = Path(job.storage.path) / f"work/job-{job.pk}"
    work.mkdir(parents=True)
    place = {"root": bytes(tmp_path), "parent": b"tree", "name": name.encode()}
    line = {key: b64encode(value).decode() for key, value in place.items()}
    (work / "staging.jsonl").write_text(json.dumps(line) + "\n")

    words = f"Job {job.pk} left this behind."
    assert check(job.storage, delete=True) == [
        Problem(str(private), words, job.pk),
        Problem(str(work), words, job.pk),
    ]
    assert not private.exists()
    assert not work.exists()


def test_a_missing_storage_is_reported():
    storage = StorageFactory(path="/nonexistent")

    assert check(storage, delete=True) == [
        Problem("/nonexistent", f"The storage '{storage}' has no folder '/nonexistent'.")
    ]
