"""A damaged catalog is noticed by restores, which end well only with all, and by verification."""

import os
import random
import shutil
from contextlib import contextmanager

import pytest
from django.db import connection, transaction

from backup_app.engines.archive.storage.layout import manifest_path
from backup_app.exceptions import BackupError, EngineError
from backup_app.models import Entry, Folder, JobSource, Volume
from tests.attacks import rounds
from tests.prerequisites import only_on

from ....support.local_backups import back_up, local_client, local_roots, volume_of
from ....support.restores import restore, tree_of
from ..download.test_reader import whole
from ..maintenance.test_verify import verify

BITS = 40  # that flip in the database's file


@pytest.fixture
def tree(tmp_path):
    with local_roots(tmp_path):
        for folder in range(5):
            (tmp_path / f"tree/{folder}/deep").mkdir(parents=True)
            for file in range(30):
                (tmp_path / f"tree/{folder}/deep/{file}").write_text(f"{folder} {file}")
        yield tmp_path / "tree"


@pytest.fixture
def backup(tmp_path, tree):
    """The last of three backups, with files that are new, changed and gone."""
    client = local_client(tmp_path)
    back_up(client)
    for number in range(2):
        (tree / f"{number}/deep/{number}").write_text("changed")
        (tree / f"{number}/deep/new").write_text("new")
        (tree / f"{number}/deep/9").unlink()
        job = back_up(client, "Incremental")
    return job


def restored(backup, tree, target):
    """Restore the whole tree; return its run, and say whether all is as it is in the tree."""
    run = restore(backup, tree, to=target)
    return run, tree_of(f"{target}{tree}") == tree_of(tree)


def is_verified(backup):
    try:
        verify(backup)
    except BackupError:
        return False
    return True


def lose_rows(backup, chance):
    """Take some rows out of the catalog, or make them others."""
    entries = Entry.objects.filter(job__in=backup.sources.all()).exclude(kind="-")
    some = chance.sample(list(entries.values_list("pk", flat=True)), chance.randint(1, 5))
    hit = entries.filter(pk__in=some)
    folders = Folder.objects.exclude(parent=None).filter(entries__isnull=False)
    return chance.choice(
        [
            hit.delete,
            lambda: hit.update(kind="-"),
            lambda: hit.update(length=0),
            lambda: hit.update(offset=chance.randrange(10**6)),
            lambda: hit.update(job=backup.pk + 1000),
            lambda: entries.filter(node__isnull=False, name=b"deep").update(node=None),
            lambda: folders.filter(pk=folders.last().pk).update(parent=None),
            lambda: folders.filter(pk=folders.last().pk).update(path=b"/elsewhere"),
            JobSource.objects.filter(job=backup).first().delete,
            Volume.objects.filter(job=backup.sources.first()).delete,
        ]
    )


@pytest.mark.attack
@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(rounds(10, 100)))
def test_rows_that_are_lost_are_noticed(backup, tree, tmp_path, seed):
    lose = lose_rows(backup, random.Random(seed))  # noqa: S311 - to be repeated
    with connection.constraint_checks_disabled():
        lose()
        try:
            _, is_whole = restored(backup, tree, tmp_path / "target")
        except BackupError:
            pass
        else:
            assert is_whole  # What the catalog lacks comes from the manifests.
        assert not all(map(is_verified, backup.client.jobs.backups()))
        transaction.set_rollback(True)


@pytest.mark.django_db
def test_what_is_missing_is_restored_and_named(backup, tree, tmp_path):
    Entry.objects.filter(job=backup, name=b"new").delete()
    Entry.objects.filter(job=backup, name=b"9", kind="-").delete()

    run, is_whole = restored(backup, tree, tmp_path / "target")

    assert is_whole
    assert run.outcome.warnings == 2
    sentence = (
        f"The catalog of backup {backup.pk} is damaged: verify it. 2 entries are restored as the"
        " manifests beside the volumes say."
    )
    assert [line for line in run.lines if line[0] != "info"] == [
        ("error", sentence),
        ("warning", f"'{tree}/1/deep/9' is restored as its manifest says."),
        ("warning", f"'{tree}/1/deep/new' is restored as its manifest says."),
    ]


@pytest.mark.django_db
def test_a_single_file_is_compared_as_well(backup, tree, tmp_path):
    Entry.objects.filter(job=backup, name=b"1").delete()  # An older one is left.

    run = restore(backup, tree / "1/deep/1", to=tmp_path / "target")

    assert (tmp_path / f"target{tree}/1/deep/1").read_text() == "changed"
    assert run.outcome.warnings == 1


@pytest.mark.django_db
def test_without_a_manifest_the_catalog_counts_with_a_warning(backup, tree, tmp_path):
    manifest = manifest_path(volume_of(backup))
    manifest.unlink()

    run, is_whole = restored(backup, tree, tmp_path / "target")

    assert is_whole
    (line,) = [line for line in run.lines if line[0] != "info"]
    sentence = (
        f"The manifest '{manifest}' cannot be read: No such file or directory. So the catalog"
        " could not be checked."
    )
    assert line == ("warning", sentence)
    assert run.outcome.warnings == 1


def lose_volume(backup):
    Volume.objects.filter(job=backup.sources.first()).delete()
    return f"it has no volume of backup {backup.sources.first().pk}."


def lose_source(backup):
    JobSource.objects.get(job=backup, source=backup.parent).delete()
    return f"its manifest says that backup {backup.pk} builds on other backups."


def invent(backup):
    found = Entry.objects.get(job=backup, name=b"1")
    Entry.objects.filter(pk=found.pk).update(name=b"invented")
    return f"the manifests of backup {backup.pk} lack '{os.fsdecode(found.folder.path)}/invented'."


@pytest.mark.django_db
@pytest.mark.parametrize("damage", [lose_volume, lose_source, invent])
def test_a_catalog_of_other_backups_or_paths_is_refused(backup, tree, tmp_path, damage):
    words = f"The catalog is damaged: {damage(backup)}"
    chosen = tree / "1/deep/invented" if damage is invent else tree

    with pytest.raises(EngineError) as refused:
        restore(backup, chosen, to=tmp_path / "target")

    assert str(refused.value) == words
    assert not (tmp_path / "target").exists()


@pytest.mark.django_db
def test_without_a_manifest_a_download_trusts_the_catalog(backup):
    before = whole(backup)

    manifest_path(volume_of(backup)).unlink()

    assert whole(backup) == before


@pytest.mark.django_db
def test_the_manifest_of_another_volume_is_not_compared(backup, tree, tmp_path):
    other, manifest = (manifest_path(volume_of(each)) for each in backup.sources.all()[:2])
    manifest.write_bytes(other.read_bytes())

    run, is_whole = restored(backup, tree, tmp_path / "target")

    assert is_whole
    sentence = f"The manifest '{manifest}' belongs to another volume."
    assert run.lines[0] == ("warning", f"{sentence} So the catalog could not be checked.")


@contextmanager
def damaged_database(original, folder, seed):
    """Work on a copy of the database in which bits have flipped."""
    chance = random.Random(seed)  # noqa: S311 - to be repeated
    copy = bytearray(original.read_bytes())
    for _ in range(BITS):
        copy[chance.randrange(100, len(copy))] ^= 1 << chance.randrange(8)
    folder.mkdir()
    (folder / "damaged.sqlite3").write_bytes(copy)
    name = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = str(folder / "damaged.sqlite3")
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = name
        shutil.rmtree(folder)


@pytest.mark.attack
@only_on("sqlite")  # PostgreSQL has no such file.
@pytest.mark.django_db(transaction=True)
def test_bits_that_flip_in_the_database_lose_nothing_in_silence(backup, tree, tmp_path):
    with connection.cursor() as cursor:
        cursor.execute("VACUUM INTO %s", [str(tmp_path / "original")])
    outcomes = []
    for seed in range(rounds(10, 200)):
        with damaged_database(tmp_path / "original", tmp_path / "damaged", seed):
            try:
                run, is_whole = restored(backup, tree, tmp_path / "target")
            except Exception as e:  # noqa: BLE001 - the job fails, which is all that can be asked
                outcomes.append(type(e).__name__)
            else:
                assert is_whole or run.outcome.warnings, seed
                outcomes.append("warnings" if run.outcome.warnings else "completed")
        shutil.rmtree(tmp_path / "target", ignore_errors=True)
    assert len(set(outcomes)) > 1, outcomes
