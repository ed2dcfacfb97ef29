"""A storage's label: without it, as where a disk is not mounted, its folder is left alone."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.archive.storage.labels import FILE, label_storage, storage_folder
from backup_app.exceptions import EngineError
from backup_app.jobs import retention
from backup_app.models import Job, Storage
from tests.support.concurrency import call_together

from ....support.admin_pages import add, change, done
from ....support.commands import command
from ....support.factories import StorageFactory, ZoneFactory
from ....support.local_backups import back_up, begin, local_client, local_roots
from ....support.recording_run import Recording
from ....support.restores import begin_restore, restore
from ..maintenance.test_rebuild import emptied
from ..maintenance.test_verify import begin_verify, verify

pytestmark = pytest.mark.django_db
engine = ArchiveEngine()


@pytest.fixture
def machine(tmp_path):
    with local_roots(tmp_path):
        machine = local_client(tmp_path)
        (tmp_path / "tree/file").write_text("content")
        yield machine


@pytest.fixture
def job(machine):
    """A backup in a storage that is labelled."""
    return read(back_up(machine))


def read(job):
    return Job.objects.select_related("client", "storage__zone").get(pk=job.pk)


def unmount(storage):
    """Leave an empty folder where a storage was, as without its disk; return where it is now."""
    folder = Path(storage.path)
    away = folder.rename(folder.with_name("away"))
    folder.mkdir()
    return away


def mount(storage, away):
    Path(storage.path).rmdir()
    away.rename(storage.path)


def missing(storage):
    return (
        f"The folder of storage '{storage}' has no file 'storage.label': is its disk mounted? If"
        f" this is the right folder, run 'manage.py label_storage {storage.name}'."
    )


def refused(call, *args, **kwargs):
    with pytest.raises(EngineError) as refusal:
        call(*args, **kwargs)
    return str(refusal.value)


def failed(do, run):
    sentence = refused(do, run)
    Job.objects.filter(pk=run.job.pk).update(status=Job.Status.FAILED)
    return sentence


def unlabelled(storage):
    """Make a storage one of an earlier version, which has no label."""
    Storage.objects.update(label=None)
    (Path(storage.path) / FILE).unlink()
    storage.refresh_from_db()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (FILE, "The label of storage '{}' cannot be read: Is a directory."),
        (f"{FILE}.new", "The folder of storage '{}' cannot be labelled: Is a directory."),
    ],
)
def test_a_label_that_cannot_be_read_or_written_is_reported(tmp_path, name, words):
    storage = StorageFactory(path=str(tmp_path))
    (tmp_path / name).mkdir()

    assert refused(label_storage, storage) == words.format(storage)


def test_a_storage_is_labelled_when_it_is_first_used(job):
    label = (Path(job.storage.path) / FILE).read_text().strip()

    assert str(Storage.objects.get().label) == label
    assert sorted(path.name for path in Path(job.storage.path).iterdir()) == [
        *(FILE, "volumes", "work")
    ]


def test_nothing_is_written_read_or_removed_without_its_disk(job, machine):
    expected = missing(job.storage)
    download = engine.plan_download(job)[1]
    away = unmount(job.storage)

    assert failed(engine.backup, Recording(begin(machine, "Incremental"))) == expected
    assert failed(engine.restore, Recording(begin_restore(job, "/"))) == expected
    assert failed(engine.verify, begin_verify(read(job))) == expected
    assert refused(engine.open_download, job, download) == expected
    assert refused(engine.remove, read(job)) == expected
    assert refused(list, engine.rebuild_catalog(job.storage)) == expected
    assert [problem.message for problem in engine.check_storage(job.storage)] == [expected]
    assert list(Path(job.storage.path).iterdir()) == []

    mount(job.storage, away)
    assert list(engine.check_storage(job.storage)) == []
    verify(job)
    restore(job, "/")


def test_what_a_job_left_stays_until_its_disk_is_back(job, machine):
    """A backup that was killed has files there, which are removed as soon as that is possible."""
    killed = begin(machine, "Incremental")
    work = Path(job.storage.path, f"work/job-{killed.pk}")
    work.mkdir()
    away = unmount(job.storage)
    Job.objects.filter(pk=killed.pk).update(status=Job.Status.FAILED)
    killed = read(killed)

    assert refused(engine.discard, killed) == missing(job.storage)
    mount(job.storage, away)
    engine.discard(killed)

    assert not work.exists()


def test_pruning_leaves_rows_whose_volumes_are_away(job):
    unmount(job.storage)
    Job.objects.update(level="Full", started="2020-01-01T00:00Z", ended="2020-01-01T01:00Z")
    newer = Job.objects.get()
    newer.pk = None
    newer.started = newer.ended = "2030-01-01T00:00Z"
    newer.save()
    job.pool.keep_full = 1
    job.pool.save()

    (removed,) = retention.prune([job.client])

    assert removed.problem == f"Job {job.pk} could not be removed: {missing(job.storage)}"
    assert Job.objects.filter(pk=job.pk).exists()


def test_the_folder_of_another_storage_is_not_used(job, tmp_path):
    (tmp_path / "other").mkdir()
    other = StorageFactory(path=str(tmp_path / "other"))
    label_storage(other)
    Storage.objects.filter(pk=other.pk).update(path=job.storage.path)
    other.refresh_from_db()

    sentence = f"The folder of storage '{other}' has the label of another storage."
    assert refused(storage_folder, other) == sentence
    for options in ({}, {"force": True}):
        sentence = f"The folder of storage '{other}' belongs to storage '{job.storage}'."
        assert refused(label_storage, other, **options) == sentence


@pytest.mark.parametrize("content", ["", "storage", "0b4e6f5c-3f6e-4f8e-9d5c-1d2f3a4b5c6"])
def test_what_is_no_label_is_none(job, content):
    (Path(job.storage.path) / FILE).write_text(content)

    assert refused(storage_folder, job.storage) == missing(job.storage)


def test_a_folder_that_cannot_be_looked_at_is_a_fault(job):
    """As one of a network whose server is gone."""
    path = job.storage.path = f"/{'x' * 300}"
    job.storage.save()
    sentence = f"The folder '{path}' of storage '{job.storage}' cannot be read: File name too long."

    assert engine.storage_fault(job.storage) == sentence
    assert [each.message for each in engine.check_storage(job.storage)] == [sentence]
    assert list(retention.prune([job.client])) == []


class TestStoragesOfEarlierVersions:
    def test_one_with_its_volumes_is_labelled_once(self, job):
        unlabelled(job.storage)

        folder = storage_folder(job.storage)

        assert (folder / FILE).read_text() == f"{Storage.objects.get().label}\n"
        away = unmount(job.storage)
        assert refused(storage_folder, job.storage) == missing(job.storage)
        mount(job.storage, away)
        assert storage_folder(job.storage) == folder

    def test_one_that_lacks_its_volumes_is_not(self, job, machine):
        unlabelled(job.storage)
        away = unmount(job.storage)

        sentence = refused(engine.backup, Recording(begin(machine, "Incremental")))

        assert sentence == (
            f"The folder of storage '{job.storage}' has no volume of its newest backup, {job.pk}:"
            " is its disk mounted? To use the folder anyway, run 'manage.py label_storage"
            f" --force {job.storage.name}'."
        )
        assert list(Path(job.storage.path).iterdir()) == []
        mount(job.storage, away)
        storage_folder(job.storage)

    def test_a_label_that_the_database_did_not_learn_is_taken_over(self, job):
        """As after a kill between the two, or with an older copy of the database."""
        label = Storage.objects.get().label
        Storage.objects.update(label=None)

        storage_folder(Storage.objects.get())

        assert Storage.objects.get().label == label

    @pytest.mark.django_db(transaction=True)
    def test_concurrent_first_uses_write_one_label(self, tmp_path):
        storage = StorageFactory(path=str(tmp_path))
        mine = [Storage.objects.get(pk=storage.pk) for _ in range(4)]

        folders = call_together(lambda number: storage_folder(mine[number]), 4)

        assert [str(folder) for folder in folders] == [str(tmp_path)] * 4
        assert (tmp_path / FILE).read_text() == f"{Storage.objects.get().label}\n"
        assert [path.name for path in tmp_path.iterdir()] == [FILE]


class TestCommand:
    def test_a_new_disk_needs_force(self, job, machine):
        unmount(job.storage)
        name = job.storage.name

        ran = command("label_storage", name)
        assert "has no volume of its newest backup" in ran.error
        assert command("label_storage", name, "--force").out == "Labelled 1 storage.\n"

        assert back_up(machine, "Incremental").level == "Full"

    def test_a_copy_without_the_label_needs_none(self, job):
        (Path(job.storage.path) / FILE).unlink()

        assert command("label_storage", job.storage.name).error is None

        storage_folder(job.storage)

    def test_check_storage_says_why(self, job):
        unmount(job.storage)

        ran = command("check_storage")

        assert missing(job.storage) in ran.err
        assert ran.error == "1 problem, shown above."


def test_a_storage_that_is_made_again_after_the_database_was_lost(job):
    path, zone = job.storage.path, job.storage.zone
    label = Storage.objects.get().label
    emptied()
    Storage.objects.all().delete()
    storage = Storage.objects.create(name="again", path=path, zone=zone)

    (brought,) = engine.rebuild_catalog(storage)

    assert (brought.pk, Storage.objects.get().label) == (job.pk, label)


@pytest.mark.usefixtures("staff")
class TestAdmin:
    @pytest.fixture
    def client(self):
        """A browser, not a machine as in the other tests."""
        return Client()

    def states(self, client):
        return client.get(reverse("admin:backup_app_storage_changelist")).content.decode()

    def test_a_new_storage_is_labelled(self, client, tmp_path):
        sent = {"name": "disk", "zone": ZoneFactory().pk, "path": str(tmp_path)}

        done(add(client, Storage, sent))

        assert (tmp_path / FILE).read_text() == f"{Storage.objects.get().label}\n"

    def test_one_without_a_folder_is_labelled_when_that_is_there(self, client, tmp_path):
        folder = tmp_path / "later"
        sent = {"name": "disk", "zone": ZoneFactory().pk, "path": str(folder)}

        done(add(client, Storage, sent))

        assert f"has no folder &#x27;{folder}&#x27;" in self.states(client)
        folder.mkdir()
        assert f"has no folder &#x27;{folder}&#x27;" not in self.states(client)
        assert (folder / FILE).exists()

    def test_one_that_is_not_mounted_says_so(self, client, job):
        unmount(job.storage)

        assert "is its disk mounted?" in self.states(client)

    def test_a_storage_moves_with_its_label(self, client, job, tmp_path):
        away = Path(job.storage.path).rename(tmp_path / "larger")
        storage = job.storage
        sent = {"name": storage.name, "zone": storage.zone_id, "path": str(away)}

        done(change(client, storage, sent))

        storage.refresh_from_db()
        assert storage_folder(storage) == away
