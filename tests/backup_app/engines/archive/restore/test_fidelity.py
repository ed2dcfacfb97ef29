"""Whatever a file is and whatever its name: the catalog is right, and plain tar brings it back."""

import os
import socket
import stat
import subprocess
from pathlib import Path

import pytest

from tests.prerequisites import (
    as_root,
    need,
    need_access_control_lists,
    need_root,
    need_zstd,
)

from ....support.local_backups import back_up, local_client, view, volume_of

pytestmark = pytest.mark.django_db

NAMES = [
    b"a b",
    b"new\nline",
    b"tab\there",
    b"'quotes\"`",
    b"-rf",
    b"--checkpoint-action=exec=x",
    b"back\\slash\\n\\101",
    b"\xff\xfe not UTF-8",
    "größe ✓".encode(),
    b"*?[a]",
    b" ",
    b"...",
    b"$HOME;&|",
    b"x" * 255,
    b"@a",
    b"\x01\x7f",
    b"a,b=c",
]


@pytest.fixture
def tree(place):
    (place / "tree").mkdir()
    return place / "tree"


def brought_back(job, tree) -> Path:
    """Extract a volume with plain tar; return the tree in it."""
    need_zstd()
    target = tree.parent / "back"
    target.mkdir()
    tar = ["tar", "--zstd", "-xpf", volume_of(job), "-C", target, "--xattrs", "--acls"]
    done = subprocess.run([*tar, "--xattrs-include=*"], capture_output=True, check=True)
    assert all(b"implausibly old time stamp" in line for line in done.stderr.splitlines())
    return target / str(tree)[1:]


def described(root: Path) -> dict[bytes, tuple]:
    """Return all that can be seen of what is in a folder, by path below it."""
    found = {}
    for folder, folders, files in os.walk(bytes(root)):
        for name in [*folders, *files, b"."]:
            path = os.path.join(folder, name)  # noqa: PTH118
            found[os.path.relpath(path, bytes(root))] = describe(path)
    return found


def describe(path: bytes) -> tuple:
    status = os.lstat(path)
    content = Path(os.fsdecode(path)).read_bytes() if stat.S_ISREG(status.st_mode) else None
    target = Path(os.fsdecode(path)).readlink() if stat.S_ISLNK(status.st_mode) else None
    attributes = {
        name: os.getxattr(path, name, follow_symlinks=False)
        for name in os.listxattr(path, follow_symlinks=False)
    }
    fields = (status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns, status.st_nlink)
    return (*fields, status.st_rdev, content, target, attributes)


def test_names_of_any_bytes_survive(tree):
    for i, name in enumerate(NAMES):
        Path(os.fsdecode(bytes(tree) + b"/" + name)).write_bytes(b"%d" % i)
    (tree / "folder").mkdir()
    for name in NAMES:
        Path(os.fsdecode(bytes(tree) + b"/folder/" + name)).mkdir()
        Path(os.fsdecode(bytes(tree) + b"/folder/" + name + b"/in")).write_bytes(name)

    job = back_up(local_client(tree.parent))

    assert job.run.messages[1:] == []
    paths = {path.removeprefix(bytes(tree) + b"/") for path in view(job)}
    assert {*NAMES, *(b"folder/" + name + b"/in" for name in NAMES)} <= paths
    assert described(brought_back(job, tree)) == described(tree)
    assert back_up(job.client, "Incremental").files == 0


def test_paths_of_4000_bytes_survive(tree):
    need_zstd()
    # No system call takes such a path: one folder after the other.
    fd = os.open(tree, os.O_DIRECTORY)
    length = len(bytes(tree))
    depth = 0
    while length < 3800:
        name = f"{depth}-".ljust(240, "d")
        os.mkdir(name, dir_fd=fd)
        fd = os.open(name, os.O_DIRECTORY, dir_fd=fd)
        length, depth = length + 241, depth + 1
    fd = os.open("f" * (4000 - length - 1), os.O_WRONLY | os.O_CREAT, dir_fd=fd)
    os.write(fd, b"deep")

    job = back_up(local_client(tree.parent))

    [longest] = [path for path, entry in view(job).items() if entry.kind == "f"]
    assert len(longest) == 4000
    assert view(job)[longest].size == 4
    assert back_up(job.client, "Incremental").files == 0
    listed = subprocess.run(
        ["tar", "--zstd", "-tf", volume_of(job)], capture_output=True, check=True
    )
    assert longest[1:] in listed.stdout.splitlines()


@as_root
def test_kinds_and_metadata_survive(tree):
    (tree / "empty").mkdir()
    (tree / "empty").chmod(0o1777)
    (tree / "file").write_bytes(b"content")
    (tree / "setuid").write_bytes(b"#!")
    (tree / "setuid").chmod(0o4751)
    (tree / "hard").hardlink_to(tree / "file")
    (tree / "link").symlink_to("file")
    (tree / "dangling").symlink_to("/nowhere/\udcff")
    os.link(tree / "link", tree / "hardlinked-link", follow_symlinks=False)
    os.mkfifo(tree / "fifo", 0o600)
    os.chown(tree / "file", 12345, 54321)
    os.chown(tree / "link", 12345, 54321, follow_symlinks=False)
    os.utime(tree / "setuid", ns=(0, 1_700_000_000_123_456_789))
    os.utime(tree / "empty", ns=(0, -1_500_000_000))
    os.utime(tree / "link", ns=(0, 1), follow_symlinks=False)

    job = back_up(local_client(tree.parent))

    entries = {path.rpartition(b"/")[2]: entry for path, entry in view(job).items()}
    first, second = sorted((b"file", b"hard"), key=lambda name: entries[name].kind)
    file, hard = entries[first], entries[second]
    assert (file.kind, file.size, file.owner, file.group) == ("f", 7, "12345", "54321")
    assert (hard.kind, hard.size, hard.target) == ("h", 0, bytes(tree) + b"/" + first)
    assert (entries[b"setuid"].mode, entries[b"empty"].mode) == (0o4751, 0o1777)
    assert entries[b"setuid"].mtime_ns == 1_700_000_000_123_456_789
    assert entries[b"empty"].mtime_ns == -1_500_000_000
    assert sorted((entries[b"link"].kind, entries[b"hardlinked-link"].kind)) == ["h", "l"]
    assert (entries[b"dangling"].kind, entries[b"dangling"].target) == ("l", b"/nowhere/\xff")
    assert (entries[b"fifo"].kind, entries[b"fifo"].sha256) == ("p", None)
    assert described(brought_back(job, tree)) == described(tree)
    assert back_up(job.client, "Incremental").files == 0


def test_device_nodes_survive(tree):
    need_root()
    os.mknod(tree / "null", stat.S_IFCHR | 0o666, os.makedev(1, 3))
    os.mknod(tree / "disk", stat.S_IFBLK | 0o640, os.makedev(7, 200))

    job = back_up(local_client(tree.parent))

    kinds = {path.rpartition(b"/")[2]: entry.kind for path, entry in view(job).items()}
    assert (kinds[b"null"], kinds[b"disk"]) == ("b", "b")
    assert described(brought_back(job, tree)) == described(tree)


def test_extended_attributes_and_acls_survive(tree):
    (tree / "file").write_bytes(b"x")
    try:
        os.setxattr(tree / "file", "user.comment", b"binary \0\xff\n value")
    except OSError:
        need(False, "of extended attributes", "TMPDIR on a filesystem that has them")
    need_access_control_lists()
    subprocess.run(["setfacl", "-m", "u:12345:r,d:g:54321:rwx", tree], check=True)
    subprocess.run(["setfacl", "-m", "u:12345:rw", tree / "file"], check=True)

    job = back_up(local_client(tree.parent))

    again = described(brought_back(job, tree))
    assert again == described(tree)
    assert set(again[b"file"][-1]) == {"user.comment", "system.posix_acl_access"}


def test_sparse_files_are_stored_small(tree):
    with (tree / "sparse").open("wb") as file:
        file.seek(50_000_000)
        file.write(b"end")
        file.truncate(60_000_000)

    job = back_up(local_client(tree.parent))

    assert (job.bytes, job.stored_bytes < 10_000) == (60_000_000, True)
    assert view(job)[bytes(tree) + b"/sparse"].length < 100_000
    back = brought_back(job, tree)
    assert described(back) == described(tree)
    assert (back / "sparse").stat().st_blocks * 512 < 1_000_000


def test_sockets_are_left_out(tree, monkeypatch):
    monkeypatch.chdir(tree)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("sock")

        job = back_up(local_client(tree.parent))

    assert bytes(tree) + b"/sock" not in view(job)
    assert job.status == "completed"
    assert ("warning", f"'{tree}/sock' is a socket and is left out.") in job.run.lines
