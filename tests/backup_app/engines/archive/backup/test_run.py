"""``backup.py``: what is listed, what is refused, and what is left when it goes wrong."""

import hashlib
import os
import subprocess
from pathlib import Path

import pytest

from backup_app.engines.archive import ArchiveEngine
from backup_app.exceptions import Canceled, EngineError
from backup_app.models import Entry, Folder, Job, JobSource, Volume
from tests.prerequisites import need, need_zstd

from ....support.local_backups import (
    back_up,
    begin,
    local_client,
    local_roots,
    path_of,
    stored,
    view,
    volume_of,
)
from ....support.recording_run import Recording

pytestmark = pytest.mark.django_db
MB = 1_000_000


@pytest.fixture
def tree(place):
    (place / "tree/sub").mkdir(parents=True)
    (place / "tree/a").write_bytes(b"hello")
    return place / "tree"


def below(job, tree):
    """Return the paths below a tree that a job's view has, as text."""
    start = bytes(tree) + b"/"
    return {path.removeprefix(start).decode() for path in view(job) if path.startswith(start)}


def left(place):
    """Return all rows and files of backups, from the database and the folders of the storage."""
    rows = [model.objects.count() for model in (Entry, Folder, JobSource, Volume)]
    files = [path.name for path in (place / "storage").glob("*/**/*") if path.is_file()]
    return rows, sorted(files)


NOTHING = [0, 0, 0, 0], []


def test_a_full_backup_catalogues_what_is_there(place, tree):
    job = back_up(local_client(place))

    assert (job.status, job.files, job.bytes) == ("completed", 1, 5)
    assert below(job, tree) == {"a", "sub"}
    entry = view(job)[bytes(tree) + b"/a"]
    assert entry.sha256 == hashlib.sha256(b"hello").digest()
    assert (entry.kind, entry.size, entry.inode) == ("f", 5, (tree / "a").stat().st_ino)
    assert entry.ctime_ns == (tree / "a").stat().st_ctime_ns
    volume = job.volume
    assert job.stored_bytes == volume.size == volume_of(job).stat().st_size
    assert volume.sha256 == hashlib.sha256(volume_of(job).read_bytes()).digest()


def test_progress_is_told(place, tree):
    job = back_up(local_client(place))

    assert (job.run.expected, job.run.files, job.run.bytes) == (5, 1, 5)


@pytest.mark.parametrize("hole", [False, True])
def test_progress_is_told_within_a_file(place, tree, hole):
    client = local_client(place)
    with (tree / "large").open("wb") as file:
        file.write(b"" if hole else os.urandom(9 * MB))
        file.truncate(9 * MB)
    run = Told(begin(client))

    back_up(client, run=run)

    within = [size for size in run.sizes if 5 < size < 9 * MB]
    assert len(within) > 3
    assert run.sizes == sorted(run.sizes)
    assert run.sizes[-1] == run.expected == 5 + 9 * MB


class Told(Recording):
    """Remembers all sizes that it was told."""

    def __init__(self, job):
        super().__init__(job)
        self.sizes = []

    def tick(self, files=None, size=None):
        super().tick(files, size)
        self.sizes.append(self.bytes)


def test_storages_are_for_this_service_alone(place, tree):
    job = back_up(local_client(place))

    folders = volume_of(job).parent, volume_of(job).parent.parent, place / "storage/work"
    assert {folder.stat().st_mode & 0o077 for folder in folders} == {0}
    assert list((place / "storage/work").iterdir()) == []


# --- What is listed --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("exclude", "expected"),
    [
        ("*.tmp", {"sub", "sub/b", "sub/[c]", "a"}),
        ("sub", {"a", "x.tmp"}),
        ("{tree}/sub", {"a", "x.tmp"}),
        ("{tree}/sub/", {"a", "x.tmp"}),
        ("{tree}/s*", {"a", "x.tmp"}),
        ("sub/b", {"a", "x.tmp", "sub", "sub/[c]", "sub/y.tmp"}),
        ("[[]c]", {"a", "x.tmp", "sub", "sub/b", "sub/y.tmp"}),
        ("other", {"a", "x.tmp", "sub", "sub/b", "sub/[c]", "sub/y.tmp"}),
    ],
)
def test_excludes_leave_out_what_they_fit(place, tree, exclude, expected):
    for name in ("x.tmp", "sub/b", "sub/[c]", "sub/y.tmp"):
        (tree / name).touch()
    fileset = {"exclude": [exclude.format(tree=tree)]}

    assert below(back_up(local_client(place, fileset=fileset)), tree) == expected


def test_several_and_nested_paths_are_listed_once(place, tree):
    (tree / "sub/b").touch()
    (place / "other").touch()
    paths = [tree / "sub", tree, place / "other", tree / "sub/b", f"{tree}//sub/./"]

    job = back_up(local_client(place, include=paths))

    assert below(job, place) == {"tree", "tree/a", "tree/sub", "tree/sub/b", "other"}
    assert job.files == 3


def test_an_included_folder_in_an_excluded_one_is_listed(place, tree):
    (tree / "sub/b").mkdir()
    (tree / "sub/b/c").touch()
    (tree / "sub/d").touch()
    client = local_client(
        place, include=[tree, tree / "sub/b"], fileset={"exclude": [f"{tree}/sub"]}
    )

    assert below(back_up(client), tree) == {"a", "sub", "sub/b", "sub/b/c"}
    assert stored(back_up(client, "Incremental")) == {}


@pytest.fixture
def mounted(tree):
    """A small filesystem of its own at ``sub``."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", tree / "sub"]
    done = subprocess.run(mount, capture_output=True, check=False)
    need(done.returncode == 0, "of mounts", "as root, where mounting is permitted")
    (tree / "sub/b").touch()
    yield tree / "sub"
    subprocess.run(["umount", "-l", tree / "sub"], check=True)


@pytest.mark.parametrize(
    ("one", "expected"), [(True, {"a", "sub"}), (False, {"a", "sub", "sub/b"})]
)
def test_one_filesystem_stops_at_others(place, tree, mounted, one, expected):
    client = local_client(place, fileset={"options": {"one_filesystem": one}})

    assert below(back_up(client), tree) == expected


def test_a_filesystem_that_is_named_is_listed_too(place, tree, mounted):
    options = {"options": {"one_filesystem": True}}
    client = local_client(place, include=[tree, mounted], fileset=options)

    assert below(back_up(client), tree) == {"a", "sub", "sub/b"}


def test_our_own_storage_is_left_out(place):
    job = back_up(local_client(place, include=[place]))

    assert not any(path.startswith(bytes(place / "storage")) for path in view(job))


# --- What is refused -------------------------------------------------------------------------


def test_a_path_outside_of_the_roots_is_refused(place):
    client = local_client(place, include=["/etc"])

    with pytest.raises(EngineError, match="'/etc' is not below a folder that may be backed up"):
        back_up(client)

    assert left(place) == NOTHING


def test_a_symlink_out_of_the_roots_is_refused(place, tree):
    (tree / "out").symlink_to("/etc")

    with pytest.raises(EngineError, match="is not below a folder that may be backed up"):
        back_up(local_client(place, include=[tree / "out/ssh"]))


def test_a_path_through_a_symlink_is_refused(place, tree):
    (place / "link").symlink_to(tree)

    with pytest.raises(EngineError, match="link', which is not a folder; enter the path"):
        back_up(local_client(place, include=[place / "link/sub"]))


@pytest.mark.parametrize("path", ["tree", "/tmp/../etc", ""])  # noqa: S108
def test_a_path_that_is_not_plain_is_refused(place, path):
    with pytest.raises(EngineError, match="is not an absolute path"):
        back_up(local_client(place, include=[path]))


def test_a_missing_storage_is_not_created(place):
    client = local_client(place)
    (place / "storage").rmdir()

    with pytest.raises(EngineError, match=r"has no folder '.*/storage'"):
        back_up(client)

    assert not (place / "storage").exists()


def test_a_fileset_of_which_nothing_is_there_fails(place):
    with pytest.raises(EngineError, match=r"None of the fileset's paths exists: .*/missing"):
        back_up(local_client(place, include=[place / "missing"]))


def test_a_pool_over_its_quota_is_refused(place, tree):
    client = local_client(place)
    client.pool.quota_bytes = back_up(client).stored_bytes
    client.pool.save()
    before = left(place)

    with pytest.raises(EngineError, match=f"quota of the pool '{client.pool}' is used up"):
        back_up(client)

    assert left(place) == before


def test_a_storage_that_reaches_its_capacity_fails_the_backup(place, tree):
    client = local_client(place)
    (tree / "random").write_bytes(os.urandom(3 * MB))
    client.pool.storage.capacity = MB
    client.pool.storage.save()

    with pytest.raises(EngineError, match="has reached its capacity: 1000000 bytes"):
        back_up(client)

    assert left(place) == NOTHING


# --- What goes wrong -------------------------------------------------------------------------


def test_a_full_disk_fails_the_backup_and_leaves_nothing(place, tree):
    client = local_client(place)
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", place / "storage"]
    done = subprocess.run(mount, capture_output=True, check=False)
    need(done.returncode == 0, "of mounts", "as root, where mounting is permitted")
    try:
        back_up(client)
        before = left(place)
        (tree / "random").write_bytes(os.urandom(5 * MB))

        with pytest.raises(EngineError, match="cannot be used: No space left on device"):
            back_up(client)

        assert left(place) == before
    finally:
        subprocess.run(["umount", "-l", place / "storage"], check=True)


def test_a_disk_that_fills_up_during_the_scan_fails_the_backup(place, tree):
    client = local_client(place)
    for i in range(3000):
        (tree / f"{i:0>200}").touch()
    mount = ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", place / "storage"]
    done = subprocess.run(mount, capture_output=True, check=False)
    need(done.returncode == 0, "of mounts", "as root, where mounting is permitted")
    try:
        with pytest.raises(EngineError, match="cannot be used"):
            back_up(client)

        assert left(place) == NOTHING
    finally:
        subprocess.run(["umount", "-l", place / "storage"], check=True)


@pytest.mark.parametrize("tick", [1, 2, 5, 10, 15, 20, 25])
def test_a_cancel_at_any_moment_leaves_nothing(place, tree, tick):
    client = local_client(place)
    (tree / "random").write_bytes(os.urandom(20 * MB))

    with pytest.raises(Canceled):
        back_up(client, run=Recording(begin(client), cancel_at=tick))

    assert left(place) == NOTHING


def test_a_cancel_leaves_earlier_backups(place, tree):
    client = local_client(place)
    job = back_up(client)
    before, content = left(place), view(job).keys()
    (tree / "sub/new").write_text("x")

    with pytest.raises(Canceled):
        back_up(client, run=Recording(begin(client, "Incremental"), cancel_at=6))

    assert (left(place), view(job).keys()) == (before, content)


def test_discarding_a_good_backup_does_nothing(place, tree):
    job = back_up(local_client(place))
    before = left(place)

    ArchiveEngine().discard(job)

    assert left(place) == before


def test_a_missing_path_is_a_warning_and_its_content_is_kept(place, tree):
    (place / "other").mkdir()
    (place / "other/b").touch()
    client = local_client(place, include=[tree, place / "other"])
    back_up(client)
    (place / "other/b").unlink()
    (place / "other").rmdir()

    job = back_up(client, "Incremental")

    assert job.status == "warnings"
    assert any(f"{place}/other" in message for message in job.run.messages)
    assert below(job, place) == {"tree", "tree/a", "tree/sub", "other", "other/b"}


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (
            '{real} "$@" | head -c 2000; echo killed >&2; exit 137',
            r"is cut off after 2000 .* killed",
        ),
        ("echo no such option >&2; exit 64", r"is cut off after 0 bytes\. no such option"),
        ('{real} "$@"; echo broken >&2; exit 3', r"tar failed \(3\)\."),
        ('{real} "$@"; kill -9 $$', r"tar failed \(-9\)\."),
        ("echo '<html>'; head -c 9999 /dev/zero", r"This is not a tar: byte 0\."),
    ],
)
def test_a_tar_that_dies_fails_the_backup_and_leaves_nothing(place, tree, program, script, message):
    program("tar", script)

    with pytest.raises(EngineError, match=message):
        back_up(local_client(place))

    assert left(place) == NOTHING


@pytest.mark.parametrize(
    ("complaint", "expected"),
    [
        ("find: \u2018{tree}/sub\u2019: Input/output error", {"sub", "sub/b", "sub/c", "sub/c/d"}),
        ("find: \u2018{tree}/sub/c\u2019: Permission denied", {"sub", "sub/c", "sub/c/d"}),
        ("find: it failed", {"a", "sub", "sub/b", "sub/c", "sub/c/d"}),
    ],
)
def test_what_could_not_be_listed_is_not_gone(place, tree, program, complaint, expected):
    (tree / "sub/b").touch()
    (tree / "sub/c").mkdir()
    (tree / "sub/c/d").touch()
    client = local_client(place)
    back_up(client)
    for path in (tree / "a", tree / "sub/b", tree / "sub/c/d"):
        path.unlink()
    program("find", f"{{real}} \"$@\"; echo '{complaint.format(tree='./tree')}' >&2; exit 1")

    job = back_up(client, "Incremental")

    assert (job.status, below(job, tree)) == ("warnings", expected)
    assert any(complaint.format(tree=tree) in message for message in job.run.messages)


def test_a_file_that_vanishes_is_a_warning(place, tree):
    class Vanishing(Recording):
        def expect(self, size):
            (tree / "a").unlink()

    client = local_client(place)

    job = back_up(client, run=Vanishing(begin(client)))

    assert (job.status, job.files, below(job, tree)) == ("warnings", 0, {"sub"})
    assert ("error", f"{tree}/a: Cannot stat: No such file or directory"[1:]) in job.run.lines


def test_a_file_that_becomes_a_folder_before_it_is_read_is_one(place, tree):
    class Changing(Recording):
        def expect(self, size):
            (tree / "a").unlink()
            (tree / "a").mkdir()
            (tree / "sub").rmdir()
            (tree / "sub").touch()

    client = local_client(place)

    job = back_up(client, run=Changing(begin(client)))

    entries = {path.rpartition(b"/")[2]: entry for path, entry in view(job).items()}
    assert (entries[b"a"].kind, entries[b"a"].node.path) == ("d", bytes(tree) + b"/a")
    assert (entries[b"sub"].kind, entries[b"sub"].node) == ("f", None)
    became = f"'{tree}/a' has become a folder since the scan: its content is left out."
    assert (job.status, ("warning", became) in job.run.lines) == ("warnings", True)
    (tree / "a/b").touch()
    assert below(back_up(client, "Incremental"), tree) == {"a", "a/b", "sub"}


@pytest.mark.parametrize(
    "words", ["", "echo 'tar: Exiting with failure status due to previous errors' >&2;"]
)
def test_a_tar_that_fails_without_a_word_is_a_warning(place, tree, program, words):
    program("tar", f'{{real}} "$@"; {words} exit 2')

    job = back_up(local_client(place))

    said = "tar ended with exit code 2, without 0 entries and without an error message."
    assert (job.status, job.files) == ("warnings", 1)
    assert ("warning", said) in job.run.lines


def test_what_tar_leaves_out_without_a_word_is_a_warning(place, tree, program):
    program("tar", '{real} --exclude=a "$@"')

    job = back_up(local_client(place))

    said = "tar ended with exit code 0, without 1 entry and without an error message."
    assert (job.status, ("warning", said) in job.run.lines) == ("warnings", True)


def test_a_file_that_changes_is_a_warning_and_stored_again(place, tree):
    size = 30 * MB
    (tree / "big").write_bytes(os.urandom(size))
    client = local_client(place)

    class Growing(Recording):
        def tick(self, files=None, size=None):
            super().tick(files, size)
            with (tree / "big").open("ab") as file:
                file.write(b"more")

    job = back_up(client, run=Growing(begin(client)))

    assert job.status == "warnings"
    assert any(f"{tree}/big"[1:] in message for message in job.run.messages)
    assert back_up(client, "Incremental").files == 1


def test_a_file_that_shrinks_is_a_warning(place, tree):
    (tree / "big").write_bytes(os.urandom(30 * MB))
    client = local_client(place)

    class Shrinking(Recording):
        def tick(self, files=None, size=None):
            super().tick(files, size)
            if self.bytes or self.expected:
                os.truncate(tree / "big", MB)

    job = back_up(client, run=Shrinking(begin(client)))

    assert job.status == "warnings"
    assert any("shrank by" in m or "changed as we read it" in m for m in job.run.messages)


def test_an_unreadable_file_is_an_error_in_the_log(place, tree):
    # Of root's own, only what the kernel refuses is unreadable.
    need(Path("/proc/self/mem").exists(), "of unreadable files", "with /proc")
    client = local_client(place, include=[tree, "/proc/1/mem"])

    with local_roots(place, Path("/proc")):
        job = back_up(client)

    assert job.status == "warnings"
    assert any("proc/1/mem" in message for level, message in job.run.lines if level != "info")


def test_warnings_are_counted(place, tree):
    client = local_client(place, include=[tree, place / "missing1", place / "missing2"])

    assert back_up(client).errors == 2


def test_a_backup_of_nothing_new_is_still_one(place, tree):
    need_zstd()
    client = local_client(place)
    back_up(client)

    job = back_up(client, "Incremental")

    listed = subprocess.run(
        ["tar", "--zstd", "-tf", volume_of(job)], capture_output=True, check=True
    )
    assert (listed.stdout, job.stored_bytes < 200) == (b"", True)


def test_a_cancel_reaches_the_reading_of_a_hole(place, tree):
    client = local_client(place)
    with (tree / "huge").open("wb") as file:
        file.truncate(1000 * MB)

    with pytest.raises(Canceled):
        back_up(client, run=Recording(begin(client), cancel_at=200))

    assert left(place) == NOTHING


def test_job_rows_of_a_view_are_only_the_jobs_own(place, tree):
    client = local_client(place)
    first = back_up(client)
    second = back_up(client)

    assert [path_of(entry) for entry in Entry.objects.filter(job=first)] == [
        path_of(entry) for entry in Entry.objects.filter(job=second)
    ]
    assert Job.objects.count() == 2
