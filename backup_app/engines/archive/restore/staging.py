"""Private folders that a restore unpacks into, on the file system that it goes to.

Each is named for its job, ``.restore-<job id>-<installation>-<random>``, and noted in the job's
work folder while it is there. So what a killed restore has left is found: by ``remove_noted`` from
that note, and by the next restore that makes a private folder in the same place.
"""

import contextlib
import errno
import json
import os
import re
import secrets
import socket
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

from ....conf import conf
from ....exceptions import EngineError
from ....models import Job
from ...shared.dirfd import OPEN_FOLDER, FolderWalk
from ...shared.metadata import copy_times
from ...shared.trees import empty_folder
from .. import paths

NAME = re.compile(rb"\.restore-(\d+)-([0-9a-f]{8})-[0-9a-f]{16}")
NOTE = "staging.jsonl"


def new_name(job_id: int) -> bytes:
    """Return the name of a private folder of a job that nothing has."""
    return b".restore-%d-%b-%b" % (job_id, installation(), secrets.token_hex(8).encode())


def installation() -> bytes:
    """Return what tells this service from others that restore to the same machine."""
    place = f"{socket.gethostname()}:{conf.root.absolute()}"
    return blake2b(place.encode(), digest_size=4).hexdigest().encode()


@dataclass
class Staging:
    """Makes the private folders of a restore, and notes them in its work folder."""

    job_id: int
    work: Path

    @contextlib.contextmanager
    def on_disk_of(self, root: bytes, below: bytes) -> Iterator[int]:
        """Make a private folder on the file system of ``root/below``, and yield it open.

        It lies as high above that place as its file system goes, but not above ``root``. With all
        that is in it it is removed at the end. Raises EngineError when it cannot be made.
        """
        with (
            opened(root) as root_fd,
            _highest(root_fd, below) as (fd, parent),
            ExitStack() as stack,
        ):
            try:
                private_fd = stack.enter_context(self.within(fd, root, parent))
            except OSError as e:
                place = paths.shown(b"/".join(filter(None, (root, parent))))
                raise EngineError(f"No restore can be made in '{place}': {e.strerror}.") from e
            yield private_fd

    @contextlib.contextmanager
    def within(self, fd: int, root: bytes, parent: bytes) -> Iterator[int]:
        """Make a private folder in the open folder ``root/parent``, and yield it open."""
        _remove_left(fd)
        name = new_name(self.job_id)
        self.note(root=root, parent=parent, name=name)
        with _keeping_times(fd):
            os.mkdir(name, 0o700, dir_fd=fd)
        try:
            private_fd = _open_own(name, fd)
            try:
                yield private_fd
            finally:
                # Whoever owns the folder above can have renamed it, but not what is in it.
                with contextlib.suppress(OSError):
                    empty_folder(private_fd)
                os.close(private_fd)
        finally:
            _remove(name, fd)

    def note(self, **place: bytes) -> None:
        """Write down where a private folder is about to be made."""
        line = {key: b64encode(value).decode() for key, value in place.items()}
        with (self.work / NOTE).open("a") as file:
            file.write(json.dumps(line) + "\n")


def noted(work: Path) -> Iterator[dict[str, bytes]]:
    """Yield what was noted in a job's work folder."""
    with contextlib.suppress(FileNotFoundError):
        for line in (work / NOTE).read_text().splitlines():
            # A line that was cut off is of a folder that was not made yet.
            with contextlib.suppress(ValueError):
                yield {key: b64decode(value) for key, value in json.loads(line).items()}


def remove_noted(work: Path) -> None:
    """Remove the private folders on this machine that a killed restore has left, if any."""
    for place in noted(work):
        if "root" in place and NAME.fullmatch(place["name"]):
            with contextlib.suppress(EngineError, OSError):
                _remove_at(**place)


def is_ours(name: bytes) -> bool:
    """Say whether a name is that of a private folder of this service."""
    found = NAME.fullmatch(name)
    return bool(found) and found[2] == installation()


def is_left(name: bytes) -> bool:
    """Say whether a name is that of a private folder of this service whose job has ended."""
    return is_ours(name) and not Job.objects.open().filter(pk=int(NAME.fullmatch(name)[1])).exists()


def _remove_at(root, parent, name):
    with opened(root) as root_fd, FolderWalk(root_fd) as way:
        way.go(parent)
        _remove(name, way.fd)


def _remove_left(parent_fd):
    with os.scandir(parent_fd) as entries:
        names = [os.fsencode(entry.name) for entry in entries if entry.name.startswith(".restore-")]
    for name in filter(is_left, names):
        _remove(name, parent_fd)


def _remove(name, parent_fd):
    """Remove a private folder, if what has its name is ours; what cannot be removed stays."""
    with contextlib.suppress(OSError):
        fd = _open_own(name, parent_fd)
        try:
            empty_folder(fd)
        finally:
            os.close(fd)
        with _keeping_times(parent_fd):
            os.rmdir(name, dir_fd=parent_fd)


@contextlib.contextmanager
def _keeping_times(fd):
    """Let an open folder have the times afterwards that it has now: they may be restored ones."""
    status = os.stat(fd)
    yield
    with contextlib.suppress(PermissionError):
        copy_times(fd, status)


def _open_own(name, parent_fd):
    """Open a private folder; whoever owns the one above may have put another in its place."""
    fd = os.open(name, OPEN_FOLDER, dir_fd=parent_fd)
    status = os.stat(fd)
    if status.st_uid != os.geteuid() or status.st_mode & 0o777 != 0o700:
        os.close(fd)
        raise PermissionError(errno.EPERM, "Another has put a folder in the place of ours", name)
    return fd


@contextlib.contextmanager
def opened(root: bytes) -> Iterator[int]:
    """Open a folder that the operator named, wherever symlinks in its path lead."""
    try:
        fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as e:
        raise EngineError(f"'{paths.shown(root)}' cannot be opened: {e.strerror}.") from e
    try:
        yield fd
    finally:
        os.close(fd)


@contextlib.contextmanager
def _highest(root_fd, below):
    """Yield the first folder on the way that is on the file system at its end: open, and path."""
    names = [name for name in below.split(b"/") if name]
    depth = 0
    with FolderWalk(root_fd) as way:
        device = os.stat(root_fd).st_dev
        for name in names:
            try:
                way.down(name)
            except OSError:  # not there yet, or no folder: placing tells
                break
            if os.stat(way.fd).st_dev != device:
                device, depth = os.stat(way.fd).st_dev, len(way.names)
    with FolderWalk(root_fd) as way:
        way.go(b"/".join(names[:depth]))
        yield way.fd, way.path
