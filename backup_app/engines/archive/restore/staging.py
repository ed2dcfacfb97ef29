"""Private folders that a restore unpacks into, on the file system of the destination.

Each is named ``.restore-<job id>-<installation>-<random>`` and noted in the job's work folder
while it exists. What a killed restore left is found by that note (``remove_noted``), or by the next
restore that makes a private folder in the same place.
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
from ....lib.paths import shown
from ....models import Job
from ...shared.dirfd import OPEN_FOLDER, FolderWalk
from ...shared.metadata import copy_times
from ...shared.trees import empty_folder

NAME = re.compile(rb"\.restore-(\d+)-([0-9a-f]{8})-[0-9a-f]{16}")
NOTE = "staging.jsonl"


def new_name(job_id: int) -> bytes:
    """Return a new name for a private folder of a job."""
    return b".restore-%d-%b-%b" % (job_id, installation(), secrets.token_hex(8).encode())


def installation() -> bytes:
    """Return an ID of this service: others may restore to the same machine."""
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

        It is in the uppermost folder of that file system, but not above ``root``, where fewest
        users can rename it. At the end it is removed. Raises EngineError if it cannot be created.
        """
        with (
            opened(root) as root_fd,
            _highest(root_fd, below) as (fd, parent),
            ExitStack() as stack,
        ):
            try:
                private_fd = stack.enter_context(self.within(fd, root, parent))
            except OSError as e:
                place = shown(b"/".join(filter(None, (root, parent))))
                raise EngineError(f"Cannot restore to '{place}': {e.strerror}.") from e
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
                # The owner of the folder above may have renamed it: empty it by its descriptor.
                with contextlib.suppress(OSError):
                    empty_folder(private_fd)
                os.close(private_fd)
        finally:
            _remove(name, fd)

    def note(self, **place: bytes) -> None:
        """Note a private folder before it is made, so that a kill leaves none without a note."""
        line = {key: b64encode(value).decode() for key, value in place.items()}
        with (self.work / NOTE).open("a") as file:
            file.write(json.dumps(line) + "\n")


def noted(work: Path) -> Iterator[dict[str, bytes]]:
    """Yield the private folders that were noted in a job's work folder."""
    with contextlib.suppress(FileNotFoundError):
        for line in (work / NOTE).read_text().splitlines():
            # A truncated line is of a folder that was not made yet.
            with contextlib.suppress(ValueError):
                yield {key: b64decode(value) for key, value in json.loads(line).items()}


def remove_noted(work: Path) -> None:
    """Remove the private folders that a killed restore left on this machine."""
    for place in noted(work):
        if "root" in place and NAME.fullmatch(place["name"]):
            with contextlib.suppress(EngineError, OSError):
                _remove_at(**place)


def is_ours(name: bytes) -> bool:
    """Return whether a name is that of a private folder of this service."""
    found = NAME.fullmatch(name)
    return found is not None and found[2] == installation()


def is_left(name: bytes) -> bool:
    """Return whether a name is that of a private folder of this service whose job has ended."""
    found = NAME.fullmatch(name)
    if found is None or found[2] != installation():
        return False
    return not Job.objects.open().filter(pk=int(found[1])).exists()


def _remove_at(root: bytes, parent: bytes, name: bytes) -> None:
    with opened(root) as root_fd, FolderWalk(root_fd) as way:
        way.go(parent)
        _remove(name, way.fd)


def _remove_left(parent_fd: int) -> None:
    with os.scandir(parent_fd) as entries:
        names = [os.fsencode(entry.name) for entry in entries if entry.name.startswith(".restore-")]
    for name in filter(is_left, names):
        _remove(name, parent_fd)


def _remove(name: bytes, parent_fd: int) -> None:
    """Remove a private folder if it is really ours; what cannot be removed stays."""
    with contextlib.suppress(OSError):
        fd = _open_own(name, parent_fd)
        try:
            empty_folder(fd)
        finally:
            os.close(fd)
        with _keeping_times(parent_fd):
            os.rmdir(name, dir_fd=parent_fd)


@contextlib.contextmanager
def _keeping_times(fd: int) -> Iterator[None]:
    """Restore the times of an open folder afterwards: they may be restored ones."""
    status = os.stat(fd)
    yield
    with contextlib.suppress(PermissionError):
        copy_times(fd, status)


def _open_own(name: bytes, parent_fd: int) -> int:
    """Open a private folder; the owner of the one above may have replaced it by another."""
    fd = os.open(name, OPEN_FOLDER, dir_fd=parent_fd)
    status = os.stat(fd)
    if status.st_uid != os.geteuid() or status.st_mode & 0o777 != 0o700:
        os.close(fd)
        raise PermissionError(errno.EPERM, "Another user has replaced our folder", name)
    return fd


@contextlib.contextmanager
def opened(root: bytes) -> Iterator[int]:
    """Open a folder that the operator configured, whose path may contain symlinks."""
    try:
        fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError as e:
        raise EngineError(f"'{shown(root)}' cannot be opened: {e.strerror}.") from e
    try:
        yield fd
    finally:
        os.close(fd)


@contextlib.contextmanager
def _highest(root_fd: int, below: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the uppermost folder on the path that is on the file system of its end: fd and path."""
    names = [name for name in below.split(b"/") if name]
    depth = 0
    with FolderWalk(root_fd) as way:
        device = os.stat(root_fd).st_dev
        for name in names:
            try:
                way.down(name)
            except OSError:  # missing or not a folder: placing reports it
                break
            if os.stat(way.fd).st_dev != device:
                device, depth = os.stat(way.fd).st_dev, len(way.names)
    with FolderWalk(root_fd) as way:
        way.go(b"/".join(names[:depth]))
        yield way.fd, way.path
