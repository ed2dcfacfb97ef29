import os
import shutil
import stat
import subprocess
import threading
from contextlib import contextmanager

import pytest

from backup_app.engines.archive.restore.placement import Placement
from backup_app.engines.shared.dirfd import FolderWalk
from backup_app.engines.shared.syscalls import exchange
from backup_app.engines.shared.trees import empty_folder
from backup_app.exceptions import Canceled
from tests.prerequisites import as_root, need_access_control_lists

OLD_NS = 981_173_106_123_456_789


@pytest.fixture
def private(tmp_path):
    folder = tmp_path / "private"
    folder.mkdir()
    return folder


@pytest.fixture
def destination(tmp_path):
    folder = tmp_path / "destination"
    folder.mkdir()
    return folder


@contextmanager
def opened(path):
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with FolderWalk(fd) as way:
            yield way
    finally:
        os.close(fd)


def place(private, destination, passing=(), tick=lambda: None):
    """Place everything; return what was refused, as {path: sentence}."""
    refused = {}
    with opened(private) as source, opened(destination) as target:
        passing = {b"", *passing}
        Placement(source, target, passing, refused.__setitem__, tick, private_within).run()
    return refused


@contextmanager
def private_within(fd, path):
    name = b".private"
    os.mkdir(name, dir_fd=fd)
    with opened(b"/proc/self/fd/%d/%b" % (fd, name)) as way:
        try:
            yield way.fd
        finally:
            empty_folder(way.fd)
            os.rmdir(name, dir_fd=fd)


def make(folder, **files):
    for name, content in files.items():
        path = folder / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)


def content(folder):
    return {
        str(path.relative_to(folder)): path.read_text() if path.is_file() else None
        for path in folder.rglob("*")
    }


def test_a_new_folder_is_moved_whole(private, destination):
    make(private, a__b__c="1")
    inode = (private / "a").stat().st_ino

    refused = place(private, destination)

    assert refused == {}
    assert content(destination) == {"a": None, "a/b": None, "a/b/c": "1"}
    assert (destination / "a").stat().st_ino == inode
    assert list(private.iterdir()) == []


def test_a_file_takes_the_place_of_another_and_leaves_its_neighbours(private, destination):
    make(private, a__b="new")
    make(destination, a__b="old", a__c="other")
    inode = (private / "a/b").stat().st_ino

    place(private, destination)

    assert content(destination) == {"a": None, "a/b": "new", "a/c": "other"}
    assert (destination / "a/b").stat().st_ino == inode


def test_who_reads_while_a_file_is_replaced_always_finds_one(private, destination):
    make(destination, f="old")
    seen, stop = set(), threading.Event()

    def read():
        while not stop.is_set():
            seen.add((destination / "f").read_text())

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for _ in range(300):
            make(private, f="new")
            place(private, destination)
    finally:
        stop.set()
        reader.join()
    assert seen <= {"old", "new"}


@as_root
def test_a_folder_that_is_there_gets_the_metadata_of_the_restored_one(private, destination):
    make(private, a__b="1")
    make(destination, a__c="2")
    source = private / "a"
    os.setxattr(source, "user.new", b"\0x")
    os.setxattr(destination / "a", "user.old", b"1")
    need_access_control_lists()
    subprocess.run(["setfacl", "-m", "u:7:rwx,d:g:8:r", source], check=True)
    os.chown(source, 12, 13)
    source.chmod(0o3751)
    os.utime(source, ns=(OLD_NS, OLD_NS))
    wanted = source.stat()
    acl = os.getxattr(source, "system.posix_acl_access")

    refused = place(private, destination)

    got = (destination / "a").stat()
    assert refused == {}
    assert (got.st_mode, got.st_uid, got.st_gid) == (wanted.st_mode, 12, 13)
    assert got.st_mtime_ns == OLD_NS
    assert set(os.listxattr(destination / "a")) == {
        "user.new",
        "system.posix_acl_access",
        "system.posix_acl_default",
    }
    assert os.getxattr(destination / "a", "user.new") == b"\0x"
    assert os.getxattr(destination / "a", "system.posix_acl_access") == acl


def test_a_folder_that_is_only_passed_keeps_its_metadata(private, destination):
    make(private, a__b="1")
    make(destination, a__c="2")
    (destination / "a").chmod(0o700)

    place(private, destination, passing=[b"a"])

    assert stat.S_IMODE((destination / "a").stat().st_mode) == 0o700


def test_a_symlink_is_replaced_by_a_file_and_not_followed(private, destination, tmp_path):
    make(private, f="new")
    make(tmp_path, victim="untouched")
    (destination / "f").symlink_to(tmp_path / "victim")

    place(private, destination)

    assert not (destination / "f").is_symlink()
    assert (destination / "f").read_text() == "new"
    assert (tmp_path / "victim").read_text() == "untouched"


@pytest.mark.parametrize("kind", ["file", "symlink"])
def test_a_restored_folder_takes_the_place_of_a(kind, private, destination, tmp_path):
    make(private, a__b="1")
    outside = tmp_path / "outside"
    outside.mkdir()
    if kind == "file":
        make(destination, a="old")
    else:
        (destination / "a").symlink_to(outside)

    refused = place(private, destination)

    assert refused == {}
    assert content(destination) == {"a": None, "a/b": "1"}
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("kind", ["file", "symlink"])
def test_what_is_in_the_way_of_a_passed_folder_stays(kind, private, destination, tmp_path):
    make(private, a__b="1", z="2")
    outside = tmp_path / "outside"
    outside.mkdir()
    if kind == "file":
        make(destination, a="old")
    else:
        (destination / "a").symlink_to(outside)

    refused = place(private, destination, passing=[b"a"])

    assert refused == {b"a": "Its path leads through a symlink or a file."}
    assert (destination / "z").read_text() == "2"
    assert list(outside.iterdir()) == []


def test_an_empty_folder_makes_way_for_a_file(private, destination):
    make(private, a="1")
    (destination / "a").mkdir()

    refused = place(private, destination)

    assert refused == {}
    assert content(destination) == {"a": "1"}


def test_all_of_a_folder_of_many_files_is_placed(private, destination):
    make(private, **{f"a__{n}": "1" for n in range(2500)})
    make(destination, a__9999="0")

    place(private, destination)

    assert len(list((destination / "a").iterdir())) == 2501


def test_folders_of_any_depth_are_merged(private, destination):
    names = [b"d"] * 1900
    for folder in (private, destination):
        with opened(folder) as way:
            for name in names:
                os.mkdir(name, dir_fd=way.fd)
                way.down(name)
            if folder is private:
                os.symlink("end", "link", dir_fd=way.fd)

    refused = place(private, destination)

    with opened(destination) as way:
        way.go(b"/".join(names))
        assert os.readlink("link", dir_fd=way.fd) == "end"
    assert refused == {}
    for folder in (private, destination):
        subprocess.run(["rm", "-rf", folder], check=True)  # deeper than Python goes


def test_hard_links_and_metadata_survive_on_another_disk(private, destination, other_disk):
    make(private, a__b="1")
    os.link(private / "a/b", private / "c")
    os.utime(private / "a", ns=(OLD_NS, OLD_NS))
    (other_disk / "a").mkdir()

    refused = place(private, other_disk)

    assert refused == {}
    assert content(other_disk) == {"a": None, "a/b": "1", "c": "1"}
    assert (other_disk / "c").samefile(other_disk / "a/b")
    assert (other_disk / "a").stat().st_mtime_ns == OLD_NS


@as_root
def test_a_failed_copy_to_another_disk_is_reported(private, other_disk):
    make(private, a="1")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", other_disk], check=True)
    try:
        (private / "a").write_bytes(bytes(range(256)) * 4096)

        refused = place(private, other_disk)

        assert list(refused) == [b""]
        assert "No space left on device" in refused[b""]
        assert list(other_disk.iterdir()) == []
    finally:
        subprocess.run(["umount", "-l", other_disk], check=True)


@as_root
def test_what_another_disk_is_mounted_on_stays(private, destination):
    make(private, a="1")
    (destination / "a").mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "none", destination / "a"], check=True)
    try:
        refused = place(private, destination)
    finally:
        subprocess.run(["umount", "-l", destination / "a"], check=True)

    assert refused == {b"a": "It could not be placed: Device or resource busy."}


@as_root
def test_metadata_that_cannot_be_set_is_reported(private, destination):
    for folder in (private, private / "a"):
        folder.mkdir(exist_ok=True)
        os.chown(folder, 65_534, 65_534)
    (destination / "a").mkdir()
    refused = set()
    with opened(private) as source, opened(destination) as target:
        os.seteuid(65_534)
        try:
            Placement(
                *(source, target, {b""}, lambda *of: refused.add(of), list, private_within)
            ).run()
        finally:
            os.seteuid(0)

    assert refused == {(b"a", "Its metadata could not be set: Operation not permitted.")}


@as_root
def test_labels_of_the_place_stay_and_other_attributes_go(private, destination):
    for folder in (private, destination):
        (folder / "a").mkdir()
    for name in ("user.note", "security.note"):
        os.setxattr(destination / "a", name, b"1")

    assert place(private, destination) == {}

    assert os.listxattr(destination / "a") == ["security.note"]


def test_deep_folders_that_are_renamed_meanwhile_are_reported(private, destination):
    """Of a way this deep not all folders stay open."""
    for folder in (private, destination):
        (folder / "/".join("d" * 100)).mkdir(parents=True)
    ticks = iter(range(100))

    def tick():
        if next(ticks, None) is None and (destination / "d").exists():
            (destination / "d").rename(destination / "renamed")

    refused = place(private, destination, tick=tick)

    assert refused[b"d"] == "Its metadata could not be set: No such file or directory."
    assert list(private.iterdir()) == []


def test_an_end_in_the_middle_leaves_whole_files(private, destination):
    make(private, a="new", b="new", c="new")
    make(destination, a="old", b="old", c="old")
    ticks = iter([None, None])

    def tick():
        if next(ticks, "end"):
            raise Canceled

    with pytest.raises(Canceled):
        place(private, destination, tick=tick)

    assert sorted(content(destination).values()) == ["new", "new", "old"]


def test_a_folder_that_is_swapped_for_a_symlink_never_leads_outside(private, destination, tmp_path):
    """Whatever a racing owner of the destination does, nothing appears behind his symlink."""
    outside, aside = tmp_path / "outside", tmp_path / "aside"
    for folder in (outside, aside, destination / "a"):
        folder.mkdir()
    (aside / "a").symlink_to(outside)
    stop = threading.Event()

    def swap():
        with opened(destination) as here, opened(aside) as there:
            while not stop.is_set():
                exchange(b"a", here.fd, there.fd)

    swapper = threading.Thread(target=swap)
    swapper.start()
    refused = set()
    try:
        for _ in range(300):
            make(private, **{f"a__b__{n}": "1" for n in range(5)})
            refused |= place(private, destination, passing=[b"a"]).keys()
            shutil.rmtree(private / "a", ignore_errors=True)
    finally:
        stop.set()
        swapper.join()
    assert b"a" in refused  # so they did meet
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("name", [b"", b".", b"..", b"a/b"])
def test_a_way_goes_down_by_plain_names_only(name, private):
    with opened(private) as way, pytest.raises(ValueError, match="is not a folder's name"):
        way.down(name)
