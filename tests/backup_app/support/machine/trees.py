"""Trees of files with all that a file system can have, made by hypothesis, and changes to them."""

import os
import stat
import subprocess
from dataclasses import dataclass

from hypothesis import strategies as st

KINDS = "file file file folder folder symlink hardlink fifo sparse".split()
LINKED = stat.S_IFREG, stat.S_IFLNK
ACLS = [None, None, "u:7:rwx,g:8:r", "u:9:-"]
# Quotes, blanks, newlines, what shells, find and tar treat as their own, and no valid UTF-8.
TRICKY = [b" ", b"\n", b"'", b'"', b"\\", b"\xff\xfe", b"-n", b"*", b"$(id)", b"a b", b"\t", b"%s"]

names = st.one_of(
    st.sampled_from(TRICKY),
    st.binary(min_size=1, max_size=12)
    .map(lambda name: name.replace(b"\0", b"0").replace(b"/", b"1"))
    .filter(lambda name: name not in (b".", b"..")),
    st.integers(100, 255).map(lambda size: b"n" * size),
)
# Times before 1970 and after 2038; of both a fraction must survive.
times = st.integers(-(10**18), 5 * 10**18)


@dataclass(frozen=True)
class Thing:
    kind: str
    holder: int  # which folder it is in, counted through
    name: bytes
    mode: int
    owner: tuple[int, int]
    mtime_ns: int
    content: bytes
    attribute: bytes | None
    acl: str | None
    other: int  # what a link leads to, counted through


things = st.builds(
    Thing,
    kind=st.sampled_from(KINDS),
    holder=st.integers(0, 99),
    name=names,
    mode=st.integers(0, 0o7777),
    owner=st.tuples(st.integers(0, 70_000), st.integers(0, 70_000)),
    mtime_ns=times,
    content=st.binary(max_size=2000),
    attribute=st.none() | st.binary(max_size=40),
    acl=st.sampled_from(ACLS),
    other=st.integers(0, 99),
)
forests = st.lists(things, min_size=5, max_size=25)
changes = st.lists(
    st.tuples(st.sampled_from(["add", "delete", "rename", "replace", "touch"]), things),
    min_size=1,
    max_size=8,
)


def plant(top: bytes, wanted) -> None:
    """Make these things below a folder, but those whose place is taken or whose path too long."""
    for thing in wanted:
        _make(top, thing)


def change(top: bytes, wanted) -> None:
    """Add, delete, rename, replace by another kind, or write to what is below a folder."""
    for verb, thing in wanted:
        files = [path for path in _paths(top) if path != top]
        path = files[thing.other % len(files)] if files else None
        if verb == "add":
            _make(top, thing)
        elif path is None:
            continue  # all that there was has been deleted
        elif verb == "touch":
            _touch(path, thing)
        elif verb == "rename":
            _rename(top, path, thing)
        else:
            _delete(path)
            if verb == "replace":
                _make(top, thing, path)


def bury(top: bytes, length: int) -> None:
    """Make a file whose path has so many bytes, in as many folders as that takes."""
    folder = top
    while len(folder) + 204 < length:
        folder += b"/" + b"d" * 200
        os.mkdir(folder)
    path = folder + b"/" + b"f" * (length - len(folder) - 1)
    with open(path, "wb") as file:
        file.write(b"deep")


def _make(top, thing, path=None):
    folders = [p for p in _paths(top) if stat.S_ISDIR(os.lstat(p).st_mode)]
    path = path or folders[thing.holder % len(folders)] + b"/" + thing.name
    if len(path) > 3000 or os.path.lexists(path):
        return
    MAKERS[thing.kind](top, path, thing)
    if thing.kind != "hardlink":
        _dress(path, thing)


def _dress(path, thing):
    os.lchown(path, *thing.owner)
    if thing.kind != "symlink":
        os.chmod(path, thing.mode)
        if thing.attribute is not None and thing.kind != "fifo":
            os.setxattr(path, "user.test", thing.attribute)
            os.setxattr(path, "trusted.test", thing.attribute)
        if thing.acl:
            subprocess.run(["setfacl", "-m", thing.acl, b"--", path], check=True)
    os.utime(path, ns=(thing.mtime_ns, thing.mtime_ns), follow_symlinks=False)


def _file(top, path, thing):
    with open(path, "xb") as file:
        file.write(thing.content)


def _sparse(top, path, thing):
    with open(path, "xb") as file:
        file.seek(3_000_000)
        file.write(thing.content)
        file.truncate(5_000_000)


def _symlink(top, path, thing):
    os.symlink(thing.content.replace(b"\0", b"/")[:900] or b"/nowhere", path)


def _hardlink(top, path, thing):
    # To a FIFO GNU tar keeps none.
    files = [p for p in _paths(top) if stat.S_IFMT(os.lstat(p).st_mode) in LINKED]
    if files:
        os.link(files[thing.other % len(files)], path, follow_symlinks=False)


MAKERS = {
    "file": _file,
    "folder": lambda top, path, thing: os.mkdir(path),
    "symlink": _symlink,
    "hardlink": _hardlink,
    "fifo": lambda top, path, thing: os.mkfifo(path),
    "sparse": _sparse,
}


def _touch(path, thing):
    if stat.S_ISREG(os.lstat(path).st_mode):
        with open(path, "ab") as file:
            file.write(b"more")
    os.utime(path, ns=(thing.mtime_ns, thing.mtime_ns), follow_symlinks=False)


def _rename(top, path, thing):
    new = path.rpartition(b"/")[0] + b"/" + thing.name
    if not os.path.lexists(new) and len(new) <= 3000:
        os.rename(path, new)


def _delete(path):
    subprocess.run(["rm", "-rf", b"--", path], check=True)


def _paths(top):
    found = [top]
    for folder, names, files in os.walk(top):
        found += [folder + b"/" + name for name in sorted(names + files)]
    return found
