"""Backups that come back into an emptied database from their volumes and manifests alone."""

import os
import shutil
from datetime import timedelta

import pytest
from django.contrib.auth import get_user_model
from django.utils import timezone

from backup_app import models
from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.archive.storage.layout import manifest_path
from backup_app.engines.archive.storage.manifest import ManifestReader
from backup_app.engines.values import Problem
from backup_app.exceptions import EngineError
from backup_app.models import Client, Entry, Folder, Job, JobSource, Volume

from ....support.commands import command
from ....support.factories import (
    AccountFactory,
    ClientFactory,
    JobFactory,
    PoolFactory,
    StorageFactory,
)
from ....support.forged_volumes import record
from ....support.local_backups import back_up, begin, local_client, volume_of
from ....support.recording_run import Recording
from ....support.restores import below, restore, tree_of
from ..download.test_reader import unpacked, whole
from .test_verify import verify

pytestmark = pytest.mark.django_db

engine = ArchiveEngine()


@pytest.fixture
def tree(place):
    folder = place / "tree"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub/one").write_text("1")
    (folder / "sub/two").write_text("22")
    (folder / os.fsdecode(b"\xff\n")).symlink_to(os.fsdecode(b"\xfe"))
    (folder / "hard").hardlink_to(folder / "sub/one")
    return folder


@pytest.fixture
def client(place, tree):
    return local_client(place, name="web", ip="192.0.2.7", host_key="ssh-ed25519 AAAA")


@pytest.fixture
def chain(client, tree):
    """A full backup and two incrementals, with changes and deletions."""
    jobs = [back_up(client)]
    (tree / "sub/one").write_text("1 changed")
    (tree / "new/deep").mkdir(parents=True)
    (tree / "new/deep/file").write_text("new")
    jobs.append(back_up(client, "Incremental"))
    (tree / "sub/two").unlink()
    shutil.rmtree(tree / "new/deep")
    jobs.append(back_up(client, "Incremental"))
    return jobs


def emptied():
    """Lose the whole database but the storages."""
    for model in (Job, Client, models.Fileset, models.Pool):
        model.objects.all().delete()
    get_user_model().objects.all().delete()


def contents(job):
    """Return the whole view of a backup by path, with all that does not depend on IDs."""
    found, waiting = {}, [b"/"]
    while waiting:
        for file in engine.list_folder(job, waiting.pop()).files:
            found[file.path] = (
                *(file.type, file.size, file.mtime, file.mode, file.owner, file.group),
                *(file.target, file.sha256),
            )
            if file.node_id:
                waiting.append(file.path)
    return found


def rebuild(storage, **options):
    return list(engine.rebuild_catalog(storage, **options))


def rows(model, *left_out):
    fields = [f.attname for f in model._meta.concrete_fields if f.attname not in ("id", *left_out)]
    return sorted(map(repr, model.objects.values_list(*fields)))


def test_rebuilt_views_equal_the_lost_ones(chain):
    storage = chain[0].storage
    before = {job.pk: contents(job) for job in chain}
    emptied()

    brought = rebuild(storage)

    assert [job.pk for job in brought] == [job.pk for job in chain]
    assert {job.pk: contents(job) for job in brought} == before
    assert [path for path in before[chain[2].pk] if path.endswith(b"\xff\n")]


def test_rebuilt_jobs_equal_the_lost_ones(chain):
    storage = chain[0].storage
    fields = (
        "pk name type level status engine storage_id parent_id requested_by created started files"
        " bytes stored_bytes"
    ).split()
    before = list(Job.objects.order_by("pk").values(*fields))
    sources = list(JobSource.objects.order_by("job", "source").values_list("job", "source"))
    volumes = rows(Volume)
    emptied()

    rebuild(storage)

    assert list(Job.objects.order_by("pk").values(*fields)) == before
    assert list(JobSource.objects.order_by("job", "source").values_list("job", "source")) == sources
    assert rows(Volume) == volumes
    assert {job.message for job in Job.objects.all()} == {"Rebuilt from its manifest."}
    assert all(job.ended >= job.started for job in Job.objects.all())


def test_accounts_clients_filesets_and_pools_are_rebuilt_too(chain, client):
    username, email = client.account.username, client.account.email
    kept = {
        model: rows(model, "account_id", "fileset_id", "pool_id", "created")
        for model in (Client, models.Fileset, models.Pool)
    }
    emptied()

    rebuild(chain[0].storage)

    account = get_user_model().objects.get()
    assert (account.username, account.email, account.is_active) == (username, email, True)
    assert not account.has_usable_password()
    for model, before in kept.items():
        assert rows(model, "account_id", "fileset_id", "pool_id", "created") == before
        assert model.objects.get().account == account
    found = Client.objects.get()
    assert (found.pk, found.fileset, found.pool) == (
        client.pk,
        models.Fileset.objects.get(),
        models.Pool.objects.get(),
    )
    assert found.created <= Job.objects.earliest("created").created


def test_rebuilt_backups_can_be_verified_restored_and_downloaded(chain, tree, place):
    storage, now = chain[0].storage, tree_of(tree)
    emptied()

    *_, last = rebuild(storage)
    restore(last, tree, to=place / "restored")

    assert [verify(job).lines for job in Job.objects.order_by("pk")[:3]] == [[], [], []]
    assert tree_of(below(place / "restored", tree)) == now
    assert tree_of(below(unpacked(whole(last), place / "unpacked"), tree)) == now
    assert list(engine.check_storage(storage)) == []


def test_the_next_backup_builds_on_rebuilt_ones(chain, tree):
    emptied()
    *_, last = rebuild(chain[0].storage)

    job = back_up(last.client, "Incremental")

    assert (job.parent, job.level, job.files) == (last, "Incremental", 0)
    assert job.pk > last.pk


def test_rebuilding_again_adds_nothing(chain):
    emptied()
    rebuild(chain[0].storage)
    before = {model: model.objects.count() for model in (Job, Entry, Folder, Client)}

    assert rebuild(chain[0].storage) == []
    assert {model: model.objects.count() for model in before} == before


def test_only_missing_backups_are_rebuilt(chain):
    view = contents(chain[2])
    Job.objects.get(pk=chain[2].pk).delete()

    brought = rebuild(chain[0].storage)

    assert [job.pk for job in brought] == [chain[2].pk]
    assert contents(brought[0]) == view
    assert Client.objects.count() == 1


def test_a_dry_run_stores_nothing(chain):
    emptied()

    found = rebuild(chain[0].storage, dry_run=True)

    assert [(job.pk, job.level, str(job.client)) for job in found] == [
        (job.pk, job.level, "web") for job in chain
    ]
    for model in (Job, Entry, Folder, Client, models.Pool, models.Fileset, get_user_model()):
        assert not model.objects.exists()


def test_ids_taken_meanwhile_are_replaced_by_new_ones(chain):
    storage, views = chain[0].storage, [contents(job) for job in chain]
    emptied()
    other = ClientFactory()
    taken = JobFactory(client=other, pk=chain[1].pk)

    brought = rebuild(storage)

    assert [job.pk == old.pk for job, old in zip(brought, chain, strict=True)] == [
        True,
        False,
        False,
    ]
    assert [contents(job) for job in brought] == views
    assert brought[0].pk < brought[1].pk < brought[2].pk
    assert [[s.pk for s in job.sources.order_by("pk")] for job in brought] == [
        [job.pk for job in brought[: n + 1]] for n in range(3)
    ]
    assert Job.objects.get(pk=taken.pk).client == other


@pytest.fixture
def renumbered(chain, tree):
    """The chain, come back under other IDs than its volumes have, and a backup that builds on it.

    The client's ID is another one as well.
    """
    storage = chain[0].storage
    emptied()
    other = ClientFactory(pk=chain[0].client_id)
    for job in chain:
        JobFactory(client=other, pk=job.pk, status="completed")
    brought = rebuild(storage)
    (tree / "later").write_text("l")
    return [*brought, back_up(brought[-1].client, "Incremental")]


def test_what_builds_on_backups_with_other_ids_is_whole(renumbered, tree, place):
    last = renumbered[-1]
    assert last.level == "Incremental"

    restored = restore(last, tree, to=place / "restored")

    assert restored.outcome.warnings == 0
    assert tree_of(below(place / "restored", tree)) == tree_of(tree)
    assert verify(last).lines == []


def test_what_builds_on_backups_with_other_ids_comes_back(renumbered, place):
    views = [contents(job) for job in renumbered]
    emptied()

    assert [contents(job) for job in rebuild(renumbered[0].storage)] == views


def test_manifests_that_name_no_volumes_say_the_ids(renumbered, tree, place):
    """Earlier versions wrote such ones."""
    last = renumbered[-1]
    manifest = ManifestReader(manifest_path(volume_of(last)))
    del manifest.head["job"]["volumes"]
    record(last, manifest.head)

    assert restore(last, tree, to=place / "restored").outcome.warnings == 0


def test_new_rows_get_ids_after_those_that_came_back(chain):
    emptied()
    brought = rebuild(chain[0].storage)

    assert JobFactory(client=ClientFactory()).pk > brought[-1].pk
    assert ClientFactory().pk > brought[-1].client_id


def test_an_account_is_found_by_its_login_or_its_address(chain, client):
    emptied()
    account = AccountFactory(username="renamed", email=client.account.email.upper())

    rebuild(chain[0].storage)

    assert Client.objects.get().account == account
    assert get_user_model().objects.count() == 1


def test_an_existing_client_is_not_changed(chain, client):
    Job.objects.all().delete()
    Client.objects.update(ip="192.0.2.99")

    rebuild(chain[0].storage)

    assert Client.objects.get().ip == "192.0.2.99"
    assert Job.objects.filter(client=client).count() == 3


def test_a_client_that_was_renamed_is_still_the_same(chain, client):
    Job.objects.filter(pk__gt=chain[0].pk).delete()
    Client.objects.update(name="renamed")

    rebuild(chain[0].storage)

    assert Client.objects.get().jobs.count() == 3


def test_a_client_whose_address_is_taken_is_not_rebuilt(chain, client):
    emptied()
    account = AccountFactory(username=client.account.username)
    ClientFactory(account=account, name="other", ip="192.0.2.7", pool=PoolFactory(account=account))

    found = rebuild(chain[0].storage)

    words = "Client 'web' cannot be restored: client 'other' has its address 192.0.2.7."
    assert [(each.message, each.job_id) for each in found] == [(words, job.pk) for job in chain]
    assert not Job.objects.exists()


def test_a_damaged_manifest_is_reported_and_skipped(chain):
    storage, manifest = chain[0].storage, manifest_path(volume_of(chain[1]))
    view = contents(chain[0])
    data = bytearray(manifest.read_bytes())
    data[-20] ^= 1
    manifest.write_bytes(data)
    emptied()

    first, broken, without = rebuild(storage)

    assert contents(first) == view
    assert (broken.path, broken.job_id) == (str(manifest), chain[1].pk)
    assert broken.message.startswith(f"The manifest '{manifest}' is damaged: ")
    assert without == Problem(
        str(manifest.with_name(f"job-{chain[2].pk}.tar.zst.manifest")),
        f"It builds on backup {chain[1].pk}, which is missing.",
        chain[2].pk,
    )
    assert list(Job.objects.all()) == [first]
    assert set(Entry.objects.values_list("job", flat=True)) == {first.pk}


@pytest.mark.parametrize("damage", ["head", "cut", "empty"])
def test_a_manifest_without_a_header_is_reported(chain, damage):
    storage, manifest = chain[0].storage, manifest_path(volume_of(chain[2]))
    data = manifest.read_bytes()
    damaged = {"head": b"x" + data[1:], "cut": data[:100], "empty": b""}[damage]
    manifest.write_bytes(damaged)
    emptied()

    problem, *brought = rebuild(storage)

    assert problem.path == str(manifest)
    assert problem.message.startswith(f"The manifest '{manifest}' is damaged: ")
    assert [job.pk for job in brought] == [chain[0].pk, chain[1].pk]


def old_backup(client):
    """Return a backup that began 40 days ago."""
    job = begin(client)
    job.started = timezone.now() - timedelta(days=40)
    job.save()
    return back_up(client, run=Recording(job))


def copied(job):
    """Give the files of a backup the times that a plain copy has."""
    for path in volume_of(job).parent.iterdir():
        os.utime(path)


def test_a_backup_ended_when_its_manifest_says(chain):
    ended = {job.pk: job.ended for job in chain}
    copied(chain[0])
    emptied()

    for job in rebuild(chain[0].storage):
        assert abs(job.ended - ended[job.pk]) < timedelta(minutes=1)
        assert job.message == "Rebuilt from its manifest."


def test_a_manifest_without_an_end_makes_no_old_backup_a_new_one(client):
    job = old_backup(client)
    manifest = ManifestReader(manifest_path(volume_of(job)))
    del manifest.head["job"]["ended"]
    record(job, manifest.head)
    copied(job)
    emptied()

    (found,) = rebuild(job.storage)

    assert found.ended == found.started == job.started
    assert found.message == (
        "Rebuilt from its manifest. It has no end time, so the start time was used."
    )
    (shown,) = command("backup_status", "--format=json").data["clients"]
    assert (shown["state"], shown["age_seconds"] // 86_400) == ("overdue", 40)


@pytest.mark.parametrize("section", ["job", "client"])
def test_a_manifest_without_an_id_is_reported(chain, section):
    path = manifest_path(volume_of(chain[2]))
    head = ManifestReader(path).head
    del head[section]["id"]
    record(chain[2], head)
    emptied()

    problem, *brought = rebuild(chain[0].storage)

    assert problem == Problem(
        str(path), f"The manifest '{path}' lacks the ID of the job or client."
    )
    assert len(brought) == 2


def test_a_missing_volume_is_reported(chain):
    storage, volume = chain[0].storage, volume_of(chain[2])
    volume.unlink()
    emptied()

    problem, *brought = rebuild(storage)

    assert problem.message == f"The volume '{volume}' is missing."
    assert len(brought) == 2


def test_a_volume_of_another_size_is_reported(chain):
    storage, volume = chain[0].storage, volume_of(chain[2])
    size = volume.stat().st_size
    with volume.open("ab") as file:
        file.write(b"x")
    emptied()

    problem, *_ = rebuild(storage)

    assert problem.message == f"The volume '{volume}' has {size + 1} bytes, not {size}."


def test_a_backup_whose_removal_was_interrupted_is_not_rebuilt(chain):
    volume = volume_of(chain[2])
    volume.with_name(f"{volume.name}.removing").touch()
    emptied()

    assert [job.pk for job in rebuild(chain[0].storage)] == [chain[0].pk, chain[1].pk]


def test_the_volume_of_a_running_job_is_left_alone(chain):
    Job.objects.filter(pk=chain[2].pk).update(status="running")
    Volume.objects.filter(job=chain[2]).delete()

    assert rebuild(chain[0].storage) == []


def test_chains_over_two_storages_come_back(chain, client, place, tree):
    (place / "other").mkdir()
    other = StorageFactory(path=str(place / "other"), zone=client.zone)
    client.pool.storage = other
    client.pool.save()
    (tree / "later").write_text("l")
    last = back_up(client, "Incremental")
    view = contents(last)
    emptied()

    alone = rebuild(other)
    rebuild(chain[0].storage)
    brought = rebuild(other)

    words = f"It builds on backup {chain[0].pk}, which is missing."
    assert [each.message for each in alone] == [words]
    assert [job.pk for job in brought] == [last.pk]
    assert contents(brought[0]) == view


def test_no_new_backup_replaces_what_the_database_lost(chain, client):
    """After a loss IDs begin anew, and a new job gets that of an old one."""
    volume, old_id = volume_of(chain[0]), chain[0].pk
    before = {path: path.read_bytes() for path in volume.parent.iterdir()}
    Job.objects.all().delete()
    job = begin(client)
    Job.objects.filter(pk=job.pk).update(id=old_id)
    job = Job.objects.get(pk=old_id)

    with pytest.raises(EngineError) as refused:
        back_up(client, run=Recording(job))

    assert str(refused.value) == (
        f"The volume '{volume}' exists but is missing from the database: rebuild_catalog restores"
        " it."
    )
    assert {path: path.read_bytes() for path in volume.parent.iterdir()} == before


def test_a_missing_storage_is_reported():
    with pytest.raises(EngineError):
        rebuild(StorageFactory(path="/nonexistent"))


def test_the_command_reports_rebuilt_jobs_and_problems(chain):
    manifest_path(volume_of(chain[2])).write_bytes(b"")
    manifest = manifest_path(volume_of(chain[2]))
    emptied()

    ran = command("rebuild_catalog")

    assert ran.out == (
        f"Job {chain[0].pk}, Full backup of client 'web'.\n"
        f"Job {chain[1].pk}, Incremental backup of client 'web'.\n"
        "Restored 2 jobs.\n"
    )
    assert str(manifest) in ran.err
    assert str(ran.error) == "1 problem, shown above."
