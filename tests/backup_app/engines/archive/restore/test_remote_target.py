"""The scripts that restore on other machines, run on this one: no network makes them slow."""

import contextlib
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from backup_app.engines.archive.restore.remote_target import RemoteTarget, remove_noted
from backup_app.engines.archive.restore.staging import NAME, Staging, new_name
from backup_app.engines.archive.transport.machines import LocalMachine
from backup_app.exceptions import EngineError
from tests.prerequisites import need, need_access_control_lists

from ....support.factories import JobFactory
from ....support.machine.swaps import swapping

pytestmark = pytest.mark.django_db
OLD_NS = 981_173_106_123_456_789


@pytest.fixture
def destination(tmp_path):
    folder = tmp_path / "it's a\ndestination"
    folder.mkdir()
    return folder


@pytest.fixture
def place(needs_root, work, destination):
    """Return a function that unpacks by one function and places then; it returns the refusals."""

    def place(fill, passed=(), to=destination):
        refused = {}
        job = JobFactory(type="restore", status="running")
        target = RemoteTarget(job, bytes(to), lambda: None, LocalMachine())
        with target.private_folder(None, work):
            fill(Path(os.fsdecode(target.tree)))
            target.place(passed, refused.__setitem__)
        job.delete()
        return refused

    return place


def files(**contents):
    """Return what fills a folder with files; ``__`` in a name is a slash."""

    def fill(folder):
        for name, content in contents.items():
            path = folder / name.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)

    return fill


def content(folder):
    return {
        str(path.relative_to(folder)): path.read_text() if path.is_file() else None
        for path in folder.rglob("*")
    }


def test_names_of_all_kinds_are_placed_and_replaced(place, destination):
    names = {"-n": "1", " ": "2", "a\nb": "3", ".hidden": "4", "..odd": "5", "*": "6", "'": "7"}
    names |= {os.fsdecode(b"\xce\xf0\x8bh\x07\x82\x88\xff"): "8", "\\": "9"}
    files(**dict.fromkeys(names, "old"))(destination)

    refused = place(files(**names))

    assert refused == {}
    assert content(destination) == names


def test_odd_names_make_empty_folders_go_away(place, destination):
    name = os.fsdecode(b"\x81\x82\x88\xff")
    (destination / name / name).mkdir(parents=True)

    refused = place(files(**{f"{name}__{name}": "1"}))

    assert refused == {}
    assert (destination / name / name).read_text() == "1"


def test_a_folder_that_is_there_gets_the_metadata_of_the_restored_one(place, destination):
    def fill(tree):
        files(a__b="new")(tree)
        os.setxattr(tree / "a", "user.x", b"1")
        need_access_control_lists()
        subprocess.run(["setfacl", "-m", "u:7:rwx", tree / "a"], check=True)
        os.chown(tree / "a", 12, 13)
        os.utime(tree / "a", ns=(OLD_NS, OLD_NS))

    files(a__b="old", a__c="kept")(destination)

    refused = place(fill)

    got = (destination / "a").stat()
    assert refused == {}
    assert (got.st_uid, got.st_gid, got.st_mtime_ns) == (12, 13, OLD_NS)
    assert sorted(os.listxattr(destination / "a")) == ["system.posix_acl_access", "user.x"]
    assert content(destination) == {"a": None, "a/b": "new", "a/c": "kept"}


def test_the_folder_that_the_private_one_is_in_keeps_its_times(place, tmp_path):
    disk = tmp_path / "disk"  # of its own: others write to the topmost folder of any other
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "tmpfs", disk]
    done = subprocess.run(mount, capture_output=True, check=False)
    need(done.returncode == 0, "of mounts", "as root, where mounting is permitted")
    try:
        (disk / "there").mkdir()
        os.utime(disk, ns=(OLD_NS, OLD_NS))

        place(files(a="1"), to=disk / "there")

        assert content(disk) == {"there": None, "there/a": "1"}
        assert disk.stat().st_mtime_ns == OLD_NS
    finally:
        subprocess.run(["umount", "-l", disk], check=True)


def test_files_reach_another_disk(place, other_disk, destination):
    files(a__b="old")(other_disk)
    (destination / "disk").mkdir()
    subprocess.run(["mount", "--bind", other_disk, destination / "disk"], check=True)
    try:
        refused = place(files(disk__a__b="new", disk__c__d="2", e="3"))
    finally:
        subprocess.run(["umount", "-l", destination / "disk"], check=True)

    assert refused == {}
    assert content(other_disk) == {"a": None, "a/b": "new", "c": None, "c/d": "2"}
    assert content(destination) == {"disk": None, "e": "3"}


def test_a_folder_that_is_swapped_for_a_symlink_does_not_lead_outside(place, destination, tmp_path):
    outside, aside = tmp_path / "outside", tmp_path / "aside"
    for folder in (outside, aside, destination / "a"):
        folder.mkdir()
    (aside / "a").symlink_to(outside)

    with swapping(b"a", destination, aside):
        for _ in range(12):
            place(files(a__b="1", a__c__d="2"), passed=[b"/a"])

    assert list(outside.iterdir()) == []


def test_what_a_killed_restore_left_is_removed_by_its_note(work, tmp_path):
    name = new_name(1)
    left = tmp_path / os.fsdecode(name)
    (left / "tree").mkdir(parents=True)
    Staging(1, work).note(parent=bytes(tmp_path), name=name)
    own = tmp_path / os.fsdecode(new_name(1))
    own.mkdir()
    Staging(1, work).note(root=b"/", parent=bytes(tmp_path), name=os.fsencode(own.name))

    remove_noted(LocalMachine(), work)

    assert not left.exists()
    assert own.exists()  # It was noted on the machine of the service.


def test_the_next_restore_removes_what_an_ended_one_left(place, other_disk):
    job = JobFactory(type="restore", status="failed")
    left = other_disk.parent / os.fsdecode(new_name(job.pk))
    left.mkdir(mode=0o700)
    try:
        place(files(a="1"), to=other_disk)

        assert NAME.fullmatch(bytes(left.name.encode()))
        assert not left.exists()
    finally:
        shutil.rmtree(left, ignore_errors=True)


class Lying(LocalMachine):
    """Answers to the scripts of a restore what it likes."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def start(self, argv, **options):
        if argv[0] != "sh":
            return super().start(["cat"], **options)
        return super().start(
            ["sh", "-c", self.answers.pop(0) if self.answers else "true"], **options
        )


@pytest.mark.parametrize(
    ("answers", "sentence"),
    [
        (["true"], "did not report where it created the folder"),
        (["printf '/x\\0.\\0'", "printf '?what\\0'"], "printed something invalid"),
        (
            ["printf '/x\\0.\\0'", "cat /dev/zero | tr '\\0' +"],
            "printed a field of more than 65536 bytes",
        ),
        (["true", "cat /dev/zero"], "did not report where it created the folder"),
        (["printf '/x\\0.\\0'", "exit 3"], r"^Not everything could be placed\. "),
    ],
)
def test_a_machine_that_answers_something_else_is_refused(work, answers, sentence):
    job = JobFactory(type="restore", status="running")
    target = RemoteTarget(job, b"/x", lambda: None, Lying(*answers))

    with pytest.raises(EngineError, match=sentence), target.private_folder(None, work):
        target.place((), {}.__setitem__)


def test_nothing_stays_in_a_private_folder_that_was_renamed(place, destination):
    def fill(folder):
        (folder / "secret").write_text("root's")
        folder.parent.rename(destination / "kept")

    with pytest.raises(EngineError, match="can't cd to"):
        place(fill)

    assert list((destination / "kept").iterdir()) == []


def test_a_restore_fails_whose_private_folder_may_have_been_emptied(place, destination):
    def fill(folder):
        files(a="new")(folder)
        for process in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (process / "cwd").readlink() == folder.parent:
                    os.kill(int(process.name), signal.SIGKILL)

    with pytest.raises(EngineError, match="'sh' failed"):
        place(fill)
