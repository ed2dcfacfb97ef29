"""Reading real backups again: each damage is found and named."""

import random

import pytest
from django.utils import timezone

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.archive.storage.layout import manifest_path
from backup_app.exceptions import Canceled, EngineError
from backup_app.models import Entry, Folder, Job

from ....support.factories import JobFactory, StorageFactory
from ....support.local_backups import KiB, back_up, local_client, volume_of
from ....support.recording_run import Recording

pytestmark = pytest.mark.django_db

engine = ArchiveEngine()


@pytest.fixture
def tree(place):
    folder = place / "tree"
    (folder / "sub").mkdir(parents=True)
    for number in range(8):
        content = random.Random(number).randbytes(40 * KiB)  # noqa: S311
        (folder / f"sub/file{number}").write_bytes(content)
    (folder / "sub/link").symlink_to("file1")
    (folder / "sub/hard").hardlink_to(folder / "sub/file0")
    return folder


@pytest.fixture
def job(place, tree):
    return back_up(local_client(place))


def begin_verify(backup, **options):
    job = JobFactory(
        client=backup.client,
        type="verify",
        level=None,
        status=Job.Status.RUNNING,
        started=timezone.now(),
        parent=backup,
    )
    return Recording(Job.objects.select_related("client", "parent").get(pk=job.pk), **options)


def verify(backup):
    run = begin_verify(backup)
    run.outcome = engine.verify(run)
    Job.objects.filter(pk=run.job.pk).update(status=Job.Status.COMPLETED)
    return run


def faults(backup):
    """Return the log of a verification that fails, after its sentence."""
    run = begin_verify(backup)
    with pytest.raises(EngineError) as refused:
        engine.verify(run)
    return [str(refused.value), *run.messages]


def flip(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(data)


def row(job, name):
    return Entry.objects.get(job=job, name=name)


def test_an_undamaged_backup_passes(job, place):
    run = verify(job)

    expected = Entry.objects.filter(job=job).count()
    assert (run.lines, run.expected) == ([], job.volume.tar_size)
    assert (run.outcome.files, run.outcome.bytes) == (expected, 8 * 40 * KiB)
    assert run.outcome.message == f"Backup {job.pk} is intact."


def test_each_backup_of_a_chain_is_verified_by_itself(job, tree):
    (tree / "sub/file1").unlink()
    (tree / "sub/new").write_text("new")
    second = back_up(job.client, "Incremental")

    run = verify(second)

    stored = Entry.objects.filter(job=second).exclude(kind="-").count()
    assert (run.outcome.files, run.outcome.bytes, run.lines) == (stored, 3, [])


def test_a_flipped_bit_names_all_that_it_damages_and_nothing_else(job):
    volume = volume_of(job)
    middle = row(job, b"file3").offset + 20 * KiB
    frame = middle // (64 * KiB)  # bytes that cannot be compressed stay where they are
    damaged = [
        entry
        for entry in Entry.objects.filter(job=job).order_by("offset")
        if entry.offset < (frame + 1) * 64 * KiB and entry.offset + entry.length > frame * 64 * KiB
    ]

    flip(volume, middle)
    sentence, *lines = faults(job)

    assert sentence == (f"Backup {job.pk} is damaged: its log names {1 + len(damaged)} faults.")
    assert lines[0] == f"The volume '{volume}' is not what was written: its SHA-256 differs."
    assert [line.split("'")[1] for line in lines[1:]] == [
        f"{entry.folder.path.decode()}/{entry.name.decode()}" for entry in damaged
    ]
    assert b"file3" in [entry.name for entry in damaged]


@pytest.mark.parametrize("field", ["sha256", "size", "mode", "owner", "mtime_ns"])
def test_a_difference_from_the_catalog_is_reported(job, field):
    entry = row(job, b"file2")
    wrong = {"sha256": bytes(32), "owner": "nobody"}.get(field, 7)
    Entry.objects.filter(pk=entry.pk).update(**{field: wrong})
    path = f"{entry.folder.path.decode()}/file2"

    _, *lines = faults(job)

    assert lines == [
        f"'{path}' differs from the catalog in the manifest '{manifest_path(volume_of(job))}'.",
        f"'{path}' differs from the catalog: {field}.",
    ]


def test_an_entry_missing_from_the_catalog_is_reported(job):
    entry = row(job, b"file2")
    after = Entry.objects.filter(job=job, offset__gt=entry.offset).order_by("offset").first()
    entry.delete()

    _, *lines = faults(job)

    folder = entry.folder.path.decode()
    path = f"{folder}/{after.name.decode()}"
    manifest = manifest_path(volume_of(job))
    assert lines == [
        f"The manifest '{manifest}' differs from the catalog from '{path}' on.",
        f"'{path}' does not begin at byte {entry.offset} of the tar, as it should.",
    ]


def test_a_last_entry_missing_from_the_catalog_is_reported(job):
    Entry.objects.filter(job=job).order_by("-offset").first().delete()

    assert faults(job)[-1] == f"The volume '{volume_of(job)}' contains more than the catalog says."


def test_a_flipped_bit_of_the_manifest_is_named(job):
    manifest = manifest_path(volume_of(job))
    flip(manifest, manifest.stat().st_size // 2)

    _, line = faults(job)

    assert line.startswith(f"The manifest '{manifest}' is damaged: ")


@pytest.mark.parametrize("cut", [1, 10, 200])
def test_a_truncated_manifest_is_reported(job, cut):
    manifest = manifest_path(volume_of(job))
    manifest.write_bytes(manifest.read_bytes()[:-cut])

    assert faults(job)[1:] == [f"The manifest '{manifest}' is damaged: it is cut off."]


def test_a_missing_manifest_is_reported(job):
    manifest = manifest_path(volume_of(job))
    manifest.unlink()

    assert faults(job)[1:] == [
        f"The manifest '{manifest}' cannot be read: No such file or directory."
    ]


def test_the_manifest_of_another_volume_is_reported(job, tree):
    (tree / "sub/new").write_text("new")
    other = back_up(job.client)
    manifest = manifest_path(volume_of(job))
    manifest.write_bytes(manifest_path(volume_of(other)).read_bytes())

    assert faults(job)[1:] == [f"The manifest '{manifest}' belongs to another volume."]


def test_a_truncated_volume_is_reported(job):
    volume = volume_of(job)
    volume.write_bytes(volume.read_bytes()[:-100])

    assert faults(job)[1:] == [
        f"The volume '{volume}' is not what was written: its SHA-256 differs.",
        f"The volume '{volume}' is damaged: it has no table of frames.",
    ]


def test_a_missing_volume_is_reported(job):
    volume_of(job).unlink()

    assert faults(job) == [
        f"The volume '{volume_of(job)}' cannot be read: No such file or directory."
    ]


def test_a_backup_without_a_volume_is_reported(job):
    job.volume.delete()

    assert faults(job) == [f"Backup {job.pk} has no volume."]


def test_a_backup_whose_base_lost_its_volume_is_damaged(job, tree):
    (tree / "sub/new").write_text("new")
    second = back_up(job.client, "Incremental")
    volume = volume_of(job)
    volume.unlink()

    assert faults(second)[1:] == [
        f"The volume '{volume}' of backup {job.pk} cannot be read: No such file or directory."
    ]


def test_a_backup_whose_base_has_no_disk_is_damaged(job, tree):
    (tree / "sub/new").write_text("new")
    second = back_up(job.client, "Incremental")
    storage = StorageFactory(path="/nonexistent")
    Job.objects.filter(pk=job.pk).update(storage=storage)

    assert faults(second)[1:] == [f"The storage '{storage}' has no folder '/nonexistent'."]


def test_an_entry_behind_the_end_of_the_volume_is_missing(job):
    last = Entry.objects.filter(job=job).order_by("-offset").first()
    values = {"offset": job.volume.tar_size, "length": 1024, "kind": "f"}
    job.entries.create(folder=last.folder, name=b"more", **values)

    assert f"'{last.folder.path.decode()}/more' differs from the catalog: it is missing." in faults(
        job
    )


def test_folders_that_the_catalog_mixes_up_are_named(job, tree):
    folder = Folder.objects.get(path=bytes(tree) + b"/sub")
    job.entries.filter(node=folder).update(node=folder.parent)

    assert faults(job)[1] == f"'{tree}/sub' is another folder in the catalog."


def test_a_catalog_of_other_backups_is_named(job, tree):
    (tree / "sub/new").write_text("new")
    second = back_up(job.client, "Incremental")
    second.source_links.filter(source=job).delete()

    words = f"its manifest says that backup {second.pk} builds on other backups."
    assert faults(second)[1] == f"The catalog is damaged: {words}"


def test_of_many_faults_the_log_names_the_first(job, monkeypatch):
    monkeypatch.setattr("backup_app.engines.archive.maintenance.verify.NAMED", 2)
    Entry.objects.filter(job=job, kind="f").update(mode=0)

    sentence, *lines = faults(job)

    assert (sentence, len(lines)) == (
        f"Backup {job.pk} is damaged: its log names the first 2 of 16 faults.",
        2,
    )


def test_a_verification_can_be_canceled(job):
    with pytest.raises(Canceled):
        engine.verify(begin_verify(job, cancel_at=3))


@pytest.mark.parametrize("level", ["Full", "Incremental"])
def test_what_lies_below_a_symlink_is_named(place, tree, job, level):
    if level == "Incremental":
        job = back_up(job.client, level)
    folder = Folder.objects.get(path=bytes(tree) + b"/sub")
    values = {"folder": folder.parent, "name": folder.name}
    job.entries.filter(**values).delete()
    job.entries.create(**values, kind="l", target=b"elsewhere")

    *_, error = faults(job)

    assert error == (
        f"'{tree}/sub' is not a folder in this backup: what is below it cannot be restored together"
        " with it."
    )
