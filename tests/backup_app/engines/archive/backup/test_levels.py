"""Incremental and differential backups: what is stored, what is gone, what they build on."""

import os
import subprocess

import pytest

from backup_app.engines.archive.backup import chain, workspace
from backup_app.models import Entry, Job

from ....support.factories import FilesetFactory
from ....support.local_backups import back_up, local_client, stored, view, volume_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def tree(place):
    """A folder with ``a`` and ``sub/b`` in it."""
    (place / "tree/sub").mkdir(parents=True)
    (place / "tree/a").write_bytes(b"one")
    (place / "tree/sub/b").write_bytes(b"two")
    return place / "tree"


@pytest.fixture
def client(place, tree):
    return local_client(place)


def names(entries, tree):
    """Return {path below the tree: kind} of what is in the tree."""
    start = bytes(tree) + b"/"
    return {
        path.removeprefix(start).decode(): getattr(entry, "kind", entry)
        for path, entry in entries.items()
        if path.startswith(start)
    }


def sources(job):
    return list(job.source_links.values_list("source_id", flat=True))


def test_a_changed_file_is_stored_again(client, tree):
    full = back_up(client)
    (tree / "a").write_bytes(b"other")

    job = back_up(client, "Incremental")

    assert names(stored(job), tree) == {"a": "f"}
    assert (job.files, job.bytes, sources(job), job.parent) == (1, 5, [full.pk, job.pk], full)


def test_a_file_of_the_same_size_and_mtime_is_found_by_its_ctime(client, tree):
    back_up(client)
    before = (tree / "a").stat()
    (tree / "a").write_bytes(b"eno")
    os.utime(tree / "a", ns=(before.st_atime_ns, before.st_mtime_ns))

    job = back_up(client, "Incremental")

    assert names(stored(job), tree) == {"a": "f"}


SUB = {"sub": "d", "sub/b": "f"}


@pytest.mark.parametrize(
    ("change", "added", "shown"),
    [
        ("chmod 711 sub", {"sub": "d"}, {"a": "f", **SUB}),
        (
            "mkdir sub/new; echo > sub/new/c",
            {"sub": "d", "sub/new": "d", "sub/new/c": "f"},
            {"a": "f", **SUB, "sub/new": "d", "sub/new/c": "f"},
        ),
        ("rm sub/b", {"sub": "d", "sub/b": "-"}, {"a": "f", "sub": "d"}),
        ("rm -r sub", {"sub": "-", "sub/b": "-"}, {"a": "f"}),
        ("mv a c", {"a": "-", "c": "f"}, {"c": "f", **SUB}),
        (
            "mv sub sun",
            {"sub": "-", "sub/b": "-", "sun": "d", "sun/b": "f"},
            {"a": "f", "sun": "d", "sun/b": "f"},
        ),
        ("rm -r sub; echo > sub", {"sub": "f", "sub/b": "-"}, {"a": "f", "sub": "f"}),
        ("rm a; mkdir a; echo > a/c", {"a": "d", "a/c": "f"}, {"a": "d", "a/c": "f", **SUB}),
    ],
)
def test_an_incremental_stores_what_changed(client, tree, change, added, shown):
    back_up(client)
    subprocess.run(["sh", "-ec", change], cwd=tree, check=True)

    job = back_up(client, "Incremental")

    assert names(stored(job), tree) == added
    assert names(view(job), tree) == shown


def test_what_is_gone_can_come_back(client, tree):
    back_up(client)
    (tree / "a").rename(tree / "sub/a")
    back_up(client, "Incremental")
    (tree / "sub/a").rename(tree / "a")

    job = back_up(client, "Incremental")

    assert names(view(job), tree) == {"a": "f", "sub": "d", "sub/b": "f"}


def test_a_deletion_is_stored_once(client, tree):
    back_up(client)
    (tree / "a").unlink()
    back_up(client, "Incremental")
    before = Entry.objects.count()

    back_up(client, "Incremental")

    assert Entry.objects.count() == before


def test_a_hard_link_and_its_target_stay_unchanged(client, tree):
    (tree / "link").hardlink_to(tree / "a")
    full = back_up(client)

    job = back_up(client, "Incremental")

    assert sorted(names(stored(full), tree).values()) == ["d", "f", "f", "h"]
    assert names(stored(job), tree) == {}


def test_a_new_name_of_a_file_brings_its_other_names(client, tree):
    (tree / "link").hardlink_to(tree / "sub/b")
    (tree / "other").hardlink_to(tree / "a")
    back_up(client)
    (tree / "sub").rename(tree / "sun")

    job = back_up(client, "Incremental")

    kinds = names(stored(job), tree)
    linked = {kinds.pop("link"), kinds.pop("sun/b")}
    assert (linked, kinds) == ({"f", "h"}, {"sub": "-", "sub/b": "-", "sun": "d"})
    assert names(stored(back_up(client, "Incremental")), tree) == {}


def test_a_folder_keeps_its_id_when_it_comes_back(client, tree):
    before = view(back_up(client))[bytes(tree / "sub")].node_id
    (tree / "sub").rename(tree / "away")
    back_up(client, "Incremental")
    (tree / "away").rename(tree / "sub")

    assert view(back_up(client, "Incremental"))[bytes(tree / "sub")].node_id == before


def test_a_chain_of_levels_has_its_sources(client, tree):
    full = back_up(client)
    first = back_up(client, "Incremental")
    differential = back_up(client, "Differential")
    last = back_up(client, "Incremental")

    assert sources(full) == [full.pk]
    assert sources(first) == [full.pk, first.pk]
    assert sources(differential) == [full.pk, differential.pk]
    assert sources(last) == [full.pk, differential.pk, last.pk]
    assert [full.parent, differential.parent, last.parent] == [None, full, differential]


def test_a_differential_stores_all_since_the_full(client, tree):
    back_up(client)
    (tree / "c").write_bytes(b"")
    back_up(client, "Incremental")
    (tree / "a").unlink()

    job = back_up(client, "Differential")

    assert names(stored(job), tree) == {"a": "-", "c": "f"}
    assert names(view(job), tree) == {"c": "f", "sub": "d", "sub/b": "f"}


@pytest.mark.parametrize("level", ["Incremental", "Differential"])
def test_without_a_base_it_is_full_and_says_so(client, level):
    job = back_up(client, level)

    assert (job.level, sources(job)) == ("Full", [job.pk])
    assert f"There is no backup for this {level} to build on: it becomes Full." in job.run.messages


def test_a_failed_backup_is_no_base(client):
    full = back_up(client)
    Job.objects.filter(pk=full.pk).update(status="failed")

    assert back_up(client, "Incremental").level == "Full"


def test_a_backup_of_another_fileset_is_no_base(client):
    back_up(client)
    client.fileset = FilesetFactory(account=client.account, include=client.fileset.include)
    client.save()

    assert back_up(client, "Incremental").level == "Full"


@pytest.mark.parametrize("level", ["Incremental", "Differential"])
def test_a_base_whose_volume_is_lost_is_no_base(client, level):
    base = back_up(client)
    volume = volume_of(base)
    volume.unlink()

    job = back_up(client, level)

    assert (job.level, job.status, sources(job)) == ("Full", "warnings", [job.pk])
    assert job.run.messages[:2] == [
        f"The volume '{volume}' of backup {base.pk} cannot be read: No such file or directory.",
        f"There is no backup for this {level} to build on: it becomes Full.",
    ]


@pytest.mark.parametrize("size", [0, 100])
def test_a_base_on_a_volume_of_another_size_is_no_base(client, tree, size):
    full = back_up(client)
    (tree / "new").write_text("new")
    back_up(client, "Incremental")
    volume = volume_of(full)
    os.truncate(volume, size)

    job = back_up(client, "Incremental")

    assert (job.level, job.status, sources(job)) == ("Full", "warnings", [job.pk])
    sentence = (
        f"The volume '{volume}' of backup {full.pk} has {size} bytes, not {full.volume.size}."
    )
    assert job.run.messages[0] == sentence
    assert back_up(client, "Incremental").level == "Incremental"


def test_a_base_whose_volume_the_catalog_lost_is_named_by_where_it_is(client):
    base = back_up(client)
    volume = volume_of(base)
    base.volume.delete()

    job = back_up(client, "Incremental")

    assert (job.level, job.status) == ("Full", "warnings")
    assert job.run.messages[0] == f"The catalog has no volume '{volume}' of backup {base.pk}."


def test_a_new_exclude_makes_the_excluded_gone(client, tree):
    back_up(client)
    client.fileset.exclude = [str(tree / "sub")]
    client.fileset.save()

    assert names(view(back_up(client, "Incremental")), tree) == {"a": "f"}


def test_what_was_excluded_for_a_time_is_stored_again(client, tree):
    back_up(client)
    client.fileset.exclude = [str(tree / "sub")]
    client.fileset.save()
    back_up(client, "Incremental")
    client.fileset.exclude = []
    client.fileset.save()

    job = back_up(client, "Incremental")

    assert names(stored(job), tree) == {"sub": "d", "sub/b": "f"}
    assert names(view(job), tree) == {"a": "f", "sub": "d", "sub/b": "f"}
    assert names(stored(back_up(client, "Incremental")), tree) == {}


def test_trees_of_many_windows_are_compared(client, tree, monkeypatch):
    monkeypatch.setattr(workspace, "BATCH", 2)
    monkeypatch.setattr(workspace, "WINDOW", 3)
    monkeypatch.setattr(chain, "PAGE", 2)
    for number in range(30):
        (tree / f"sub/{number}").write_text("before")
    back_up(client)
    for number in range(10):
        (tree / f"sub/{number}").write_text("after")
        (tree / f"sub/{number + 20}").unlink()
        (tree / f"0{number}").touch()

    job = back_up(client, "Incremental")

    changed = {f"sub/{number}": "f" for number in range(10)} | {"sub": "d"}
    gone = {f"sub/{number}": "-" for number in range(20, 30)}
    new = {f"0{number}": "f" for number in range(10)}
    assert names(stored(job), tree) == changed | gone | new
    assert names(stored(back_up(client, "Incremental")), tree) == {}


def test_folders_above_the_fileset_are_not_stored_again(client, place):
    back_up(client)
    (place / "other").write_text("changes the folder above")

    assert stored(back_up(client, "Incremental")) == {}


def test_folders_above_what_the_fileset_now_includes_are_stored(client, place):
    back_up(client)
    (place / "new/deep").mkdir(parents=True)
    client.fileset.include = [{"path": f"{place}/{name}"} for name in ("tree", "new/deep")]
    client.fileset.save()

    job = back_up(client, "Incremental")

    new = bytes(place / "new")
    assert stored(job) == {new: "d", new + b"/deep": "d"}


def test_folders_above_are_there_from_the_root(client, tree):
    entries = view(back_up(client))

    path = bytes(tree)
    while path != b"/":
        assert entries[path].kind == "d"
        path = path.rpartition(b"/")[0] or b"/"
    root = entries[b"/"]
    assert (root.kind, root.name, root.folder_id) == ("d", b"", root.node_id)
    assert root.folder.parent is None


def test_a_fileset_that_grows_stores_what_is_new_in_it(client, place, tree):
    (place / "more").mkdir()
    (place / "more/x").write_bytes(b"x")
    back_up(client)
    client.fileset.include = [*client.fileset.include, {"path": str(place / "more")}]
    client.fileset.save()

    job = back_up(client, "Incremental")

    assert stored(job) == {bytes(place / "more"): "d", bytes(place / "more/x"): "f"}
    assert names(view(job), tree) == {"a": "f", "sub": "d", "sub/b": "f"}
