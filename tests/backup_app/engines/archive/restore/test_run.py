import os
import random
import shutil
import stat
import subprocess
import tarfile
from pathlib import Path

import pytest

from backup_app.engines.archive import ArchiveEngine
from backup_app.engines.archive.restore.staging import is_ours
from backup_app.exceptions import Canceled, EngineError
from backup_app.jobs import control, execute
from tests.prerequisites import as_root, need_access_control_lists

from ....support.factories import ClientFactory
from ....support.forged_volumes import forge, record
from ....support.local_backups import (
    KiB,
    back_up,
    hard_links,
    local_client,
    local_roots,
    volume_of,
)
from ....support.recording_run import Recording
from ....support.restores import begin_restore, below, restore, tree_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(place, tree):
    return local_client(place)


def empty(folder):
    for child in folder.iterdir():
        shutil.rmtree(child) if child.is_dir() else child.unlink()


def test_a_lost_tree_comes_back_where_it_was(client, tree):
    before = tree_of(tree)
    job = back_up(client)
    shutil.rmtree(tree)

    run = restore(job, tree)

    assert tree_of(tree) == before
    assert (run.outcome.files, run.outcome.bytes, run.outcome.warnings) == (7, 3, 0)
    assert (run.expected, run.files, run.bytes) == (3, run.files, 3)


def test_another_destination_keeps_the_full_path_and_is_made(client, tree, place):
    job = back_up(client)
    before = tree_of(tree)

    restore(job, tree, to=place / "new/deep")

    assert tree_of(below(place / "new/deep", tree)) == before


def test_a_root_of_the_view_is_restored_as_a_whole(client, tree, place):
    job = back_up(client)
    before = tree_of(tree)

    restore(job, "/", to=place / "new")

    assert tree_of(below(place / "new", tree)) == before


def test_a_single_file_leaves_its_neighbours_alone(client, tree):
    job = back_up(client)
    (tree / "a/b/one").write_text("changed")
    (tree / "a/two").write_text("changed")
    (tree / "a").chmod(0o700)

    run = restore(job, tree / "a/b/one")

    assert (tree / "a/b/one").read_text() == "1"
    assert (tree / "a/two").read_text() == "changed"
    assert stat.S_IMODE((tree / "a").stat().st_mode) == 0o700
    assert run.outcome.files == 1


@as_root
def test_folders_on_the_way_come_back_as_they_were(client, tree):
    (tree / "a").chmod(0o710)
    os.chown(tree / "a", 12, 13)
    job = back_up(client)
    shutil.rmtree(tree)

    restore(job, tree / "a/b/one")

    got = (tree / "a").stat()
    assert (stat.S_IMODE(got.st_mode), got.st_uid, got.st_gid) == (0o710, 12, 13)
    assert [path.name for path in tree.rglob("*")] == ["a", "b", "one"]


def test_what_came_after_the_backup_stays(client, tree):
    job = back_up(client)
    (tree / "a/later").write_text("later")

    restore(job, tree)

    assert (tree / "a/later").read_text() == "later"


def test_an_incremental_restores_all_that_it_builds_on(client, tree):
    back_up(client)
    (tree / "a/two").unlink()
    (tree / "c/three").write_text("three")
    (tree / "c/four").write_text("4")
    job = back_up(client, "Incremental")
    before = tree_of(tree)
    empty(tree)

    restore(job, tree)

    assert tree_of(tree) == before


def test_files_of_several_folders_are_restored_together(client, tree, place):
    job = back_up(client)

    restore(job, tree / "a/two", tree / "c", to=place / "new")

    new = below(place / "new", tree)
    names = sorted(str(path.relative_to(new)) for path in new.rglob("*"))
    assert names == ["a", "a/two", "c", "c/three"]


def test_a_hard_link_is_restored_without_its_target(client, tree, place):
    os.link(tree / "a/b/one", tree / "c/link")
    job = back_up(client)
    [link] = hard_links(job)
    times = link.parent.stat().st_mtime_ns

    restore(job, link, to=place / "new")

    restored = below(place / "new", link)
    assert restored.read_text() == "1"
    assert restored.parent.stat().st_mtime_ns == times
    assert [path for path in (place / "new").rglob("*") if path.is_file()] == [restored]
    assert [path.name for path in below(place / "new", tree).iterdir()] == [
        link.relative_to(tree).parts[0]
    ]


def test_hard_links_to_a_target_that_is_not_restored_stay_one_file(client, tree, place):
    os.link(tree / "a/b/one", tree / "c/link")
    os.link(tree / "a/b/one", tree / "c/other")
    job = back_up(client)

    restore(job, *hard_links(job), to=place / "new")

    one, other = (below(place / "new", link) for link in hard_links(job))
    assert one.samefile(other)
    assert one.stat().st_nlink == 2


def test_a_restore_to_another_client(client, tree, place):
    job = back_up(client)
    other = ClientFactory(account=client.account, connection="local")
    before = tree_of(tree)

    run = restore(job, tree, to=place / "other", client=other)

    assert run.job.client == other
    assert tree_of(below(place / "other", tree)) == before


def test_what_a_destination_would_add_to_new_files_is_not_added(client, tree, place):
    before = tree_of(tree)
    job = back_up(client)
    need_access_control_lists()
    subprocess.run(["setfacl", "-m", "d:u:7:rwx", place], check=True)
    shutil.rmtree(tree)

    restore(job, tree)

    assert tree_of(tree) == before


def test_a_cancel_while_it_is_read_places_nothing_and_leaves_nothing(client, tree, place):
    job = back_up(client)
    empty(tree)

    with pytest.raises(Canceled):
        restore(job, tree, run=Recording(begin_restore(job, tree), cancel_at=4))

    assert list(tree.iterdir()) == []
    assert sorted(path.name for path in place.iterdir()) == ["storage", "tree"]
    assert list((place / "storage/work").iterdir()) == []


def test_a_flipped_bit_in_a_volume_is_named_and_nothing_is_placed(client, tree):
    (tree / "c/large").write_bytes(random.Random(1).randbytes(300 * KiB))  # noqa: S311 - any will do
    job = back_up(client)
    (tree / "a/two").write_text("kept")
    volume = volume_of(job)
    data = bytearray(volume.read_bytes())
    data[len(data) // 2] ^= 0x10
    volume.write_bytes(data)

    with pytest.raises(EngineError, match=f"^'{tree}/c/large' is damaged in backup {job.pk}"):
        restore(job, tree)

    assert (tree / "a/two").read_text() == "kept"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda end: {"sha256": bytes(32)}, "Its sha256 is not what was backed up."),
        (lambda end: {"offset": end, "length": 1024}, "Its volume ends before it."),
    ],
)
def test_another_content_than_was_backed_up_is_named(client, tree, change, words):
    job = back_up(client)
    job.entries.filter(name=b"three").update(**change(job.volume.tar_size))
    record(job)
    (tree / "a/two").write_text("kept")

    with pytest.raises(EngineError) as refusal:
        restore(job, tree)

    assert str(refusal.value) == (
        f"'{tree}/c/three' is damaged in backup {job.pk}, so nothing was restored. {words}"
    )
    assert (tree / "a/two").read_text() == "kept"


def test_a_volume_that_is_gone_is_named(client, tree):
    job = back_up(client)
    volume_of(job).unlink()

    with pytest.raises(EngineError, match=f"The volume '{volume_of(job)}' cannot be read"):
        restore(job, tree)


def test_what_is_in_the_way_is_named_and_the_rest_restored(client, tree):
    job = back_up(client)
    (tree / "a/two").unlink()
    (tree / "a/two").mkdir()
    (tree / "a/two/new").write_text("new")
    (tree / "c/three").unlink()

    run = restore(job, tree)

    line = f"'{tree}/a/two': A folder that is not empty is in its place."
    assert run.lines[1:] == [("warning", line)]
    assert run.outcome.warnings == 1
    assert (tree / "c/three").read_text() == "3"


def test_of_much_that_is_in_the_way_the_log_names_the_first(client, tree, monkeypatch):
    monkeypatch.setattr("backup_app.engines.archive.restore.preparation.MAX_LINES", 1)
    job = back_up(client)
    for file in (tree / "a/two", tree / "a/b/one"):
        file.unlink()
        (file / "new").mkdir(parents=True)

    run = restore(job, tree)

    assert len(run.lines) == 3
    assert run.lines[-1] == ("warning", "1 more could not be restored.")
    assert run.outcome.warnings == 2


TAR = '{real} "$@"; echo "tar: x: Cannot utime: No" >&2; echo "tar: %s" >&2; exit %d'
GIVES_UP = "Exiting with failure status due to previous errors"


def test_metadata_that_tar_cannot_set_is_a_warning(client, tree, program):
    job = back_up(client)
    program("tar", TAR % (GIVES_UP, 2))

    run = restore(job, tree)

    assert run.lines[1:] == [("warning", "tar: x: Cannot utime: No")]


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [(GIVES_UP, 3, "tar ended with 3."), ("x: Cannot write", 2, "tar: x: Cannot write")],
)
def test_what_tar_could_not_unpack_is_not_placed(client, tree, program, line, code, words):
    job = back_up(client)
    (tree / "a/two").unlink()
    program("tar", TAR % (line, code))

    with pytest.raises(EngineError) as refusal:
        restore(job, tree)

    assert str(refusal.value) == f"The restore could not be unpacked. {words}".replace(
        ". tar ended", ": tar ended"
    )
    assert not (tree / "a/two").exists()


@as_root
@pytest.mark.parametrize(
    ("folder", "options", "words"),
    [
        ("tree", "ro", "Cannot restore to '{}': Read-only file system."),
        ("storage/work", "size=4k", "The storage '.*' cannot be used for temporary files: "),
    ],
)
def test_a_disk_that_takes_nothing_is_named(client, place, folder, options, words):
    job = back_up(client)
    full = place / folder
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", full], check=True)
    try:
        with pytest.raises(EngineError, match=words.format(full)):
            restore(job, place / "tree", to=place / "tree")
    finally:
        subprocess.run(["umount", "-l", full], check=True)


def test_a_restore_of_which_nothing_can_be_placed_fails(client, tree):
    job = back_up(client)
    (tree / "a/two").unlink()
    (tree / "a/two").mkdir()
    (tree / "a/two/new").write_text("new")

    with pytest.raises(EngineError, match="Nothing could be restored"):
        restore(job, tree / "a/two")


@pytest.fixture
def with_dump(client, tree):
    """A backup of a file and of the dump of a database."""
    job = back_up(client)
    name = str(tree).strip("/")
    forge(
        job,
        [
            ("./", tarfile.DIRTYPE, ""),
            (name, tarfile.DIRTYPE, ""),
            (f"{name}/found", tarfile.REGTYPE, ""),
            (".databases", tarfile.DIRTYPE, ""),
            (".databases/shop.sql", tarfile.REGTYPE, ""),
        ],
    )
    return job


@as_root
def test_a_dump_is_left_out_where_the_rest_is_put_back(with_dump, tree):
    run = restore(with_dump, "/")

    assert (tree / "found").read_text() == "owned"
    assert not Path("/.databases/shop.sql").exists()
    line = "Dumps of databases have no original location and are left out."
    assert run.lines[0] == ("info", line)


def test_a_dump_alone_has_no_original_location(with_dump):
    with pytest.raises(EngineError, match="have no original location: restore them elsewhere"):
        restore(with_dump, "/.databases/shop.sql")


@as_root
def test_a_dump_is_restored_as_a_file_elsewhere(with_dump, place):
    restore(with_dump, "/.databases/shop.sql", to=place / "new")

    assert (place / "new/.databases/shop.sql").read_text() == "owned"


@as_root
def test_the_whole_machine_can_be_a_root(client, tree):
    before = tree_of(tree)
    job = back_up(client)
    shutil.rmtree(tree)

    with local_roots(Path("/")):
        restore(job, "/")

    assert tree_of(tree) == before
    assert [path for path in Path("/").iterdir() if is_ours(bytes(path)[1:])] == []


def test_a_root_that_is_named_by_a_symlink_is_restored_to(client, place, tree, tmp_path):
    link = tmp_path / "link"
    link.symlink_to(place)
    with local_roots(link):
        job = back_up(client)
        before = tree_of(tree)
        shutil.rmtree(tree)

        restore(job, tree)
        restore(job, tree / "c", to=link / "new")

    assert tree_of(tree) == before
    assert (below(place / "new", tree) / "c/three").read_text() == "3"


@pytest.mark.parametrize("disk", ["tmp_path", "other_disk"])
def test_several_roots_are_restored_to_at_once(place, tree, disk, request):
    other = request.getfixturevalue(disk) / "tree-of-another"
    other.mkdir()
    (other / "file").write_text("other")
    with local_roots(tree, other):
        job = back_up(local_client(place, include=[tree, other]))
        before = tree_of(tree)
        empty(tree)
        empty(other)

        restore(job, tree, other)

        assert tree_of(tree) == before
        assert (other / "file").read_text() == "other"
        empty(other)
        restore(job, other / "file")
        assert (other / "file").read_text() == "other"


@pytest.mark.django_db(transaction=True)
def test_a_restore_is_done_as_a_job(client, tree, place):
    backup = back_up(client)
    before = tree_of(tree)
    chosen = ArchiveEngine().select_paths(backup, [bytes(tree)])
    to = bytes(place / "new") + b"\xff"

    job = control.start_restore(backup, client, chosen, path=to, by="ann")
    execute.run(job.pk)

    job.refresh_from_db()
    assert (job.status, job.files, job.bytes) == ("completed", 7, 3)
    assert job.message == str(job.log.last()) == "7 entries, 3 bytes restored."
    assert tree_of(below(os.fsdecode(to), tree)) == before
    assert list((place / "storage/work").iterdir()) == []


@pytest.fixture
def misplacing(client, tree):
    """A backup of an earlier version, in which a folder became a symlink while it was read."""
    job = back_up(client)
    top = str(tree).strip("/")
    members = [
        (top, tarfile.DIRTYPE, ""),
        (f"{top}/current", tarfile.SYMTYPE, "releases/2"),
        (f"{top}/current/a", tarfile.REGTYPE, ""),
        (f"{top}/current/sub", tarfile.DIRTYPE, ""),
        (f"{top}/current/sub/b", tarfile.REGTYPE, ""),
        (f"{top}/current-not", tarfile.REGTYPE, ""),
    ]
    forge(job, members)
    return job


@as_root
def test_what_lies_below_a_symlink_is_named_and_the_rest_restored(misplacing, tree, place):
    run = restore(misplacing, tree, to=place / "new")

    named = [message for level, message in run.lines if level == "warning"]
    reason = "A path above it is not a folder in this backup."
    assert named == [f"'{tree}/current/{name}': {reason}" for name in ("a", "sub", "sub/b")]
    assert run.outcome.warnings == 3
    new = Path(f"{place}/new{tree}")
    assert sorted(path.name for path in new.iterdir()) == ["current", "current-not"]
    assert (new / "current").readlink() == Path("releases/2")


@as_root
def test_a_file_below_a_symlink_is_restored_without_it(misplacing, tree, place):
    run = restore(misplacing, tree / "current/a", to=place / "new")

    assert run.outcome.warnings == 0
    assert Path(f"{place}/new{tree}/current/a").read_text() == "owned"
