"""What is at paths of this machine, looked up without following symlinks."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from ....lib import paths
from ....lib.paths import is_in
from ...previews import Status
from ...shared.dirfd import FolderWalk
from .destination import PathMapping
from .staging import opened

KINDS = {
    stat.S_IFREG: "f",
    stat.S_IFDIR: "d",
    stat.S_IFLNK: "l",
    stat.S_IFIFO: "p",
    stat.S_IFCHR: "b",
    stat.S_IFBLK: "b",
}
SOCKET = "s"  # or what else no backup has


def status_of(name: bytes, folder_fd: int) -> Status | None:
    """Return what a name in an open folder is, None if there is nothing."""
    try:
        found = os.stat(name, dir_fd=folder_fd, follow_symlinks=False)
    except OSError:
        return None
    kind = KINDS.get(stat.S_IFMT(found.st_mode), SOCKET)
    return Status(kind, found.st_size, found.st_mtime_ns)


@dataclass
class LocalStatuses:
    """Looks at paths of a backup where its mappings lead."""

    mappings: list[PathMapping]

    def statuses(self, wanted: Iterable[bytes]) -> Iterator[Status | None]:
        """See ``survey.Place``. Fastest for paths in order, since folders stay open."""
        with ExitStack() as stack:
            walks: dict[bytes, _Walk] = {}
            for path in wanted:
                mapping = self._mapping_of(path)
                if mapping is None:  # a folder above the roots
                    yield Status("d", 0, 0)
                    continue
                if mapping.root not in walks:
                    fd = stack.enter_context(opened(mapping.root))
                    walks[mapping.root] = _Walk(stack.enter_context(FolderWalk(fd)))
                yield walks[mapping.root].status(_relative(mapping, path))

    def empty_folders(self, wanted: Iterable[bytes]) -> set[bytes]:
        """See ``survey.Place``."""
        found = set()
        for path in wanted:
            if mapping := self._mapping_of(path):
                folder, name = _split(_relative(mapping, path))
                with opened(mapping.root) as fd, FolderWalk(fd) as way, suppress(OSError):
                    way.go(folder)
                    way.down(name)
                    if not os.listdir(way.fd):  # noqa: PTH208 - an open folder
                        found.add(path)
        return found

    def free(self) -> int:
        """Return how many bytes are free in the nearest folder that is there."""
        mapping = self.mappings[0]
        with opened(mapping.root) as fd, FolderWalk(fd) as way:
            with suppress(OSError):
                way.go(mapping.below)
            space = os.fstatvfs(way.fd)
        return space.f_bavail * space.f_frsize

    def _mapping_of(self, path: bytes) -> PathMapping | None:
        return next((each for each in self.mappings if is_in(path, b"/" + each.prefix)), None)


class _Walk:
    """Moves through folders, from one wanted path to the next."""

    def __init__(self, way: FolderWalk):
        self._way = way
        self._missing: bytes | None = None

    def status(self, path: bytes) -> Status | None:
        if not path:
            return Status("d", 0, 0)
        folder, name = _split(path)
        if self._missing is not None and is_in(folder, self._missing):
            return None
        try:
            self._go(folder.split(b"/") if folder else [])
            return status_of(name, self._way.fd)
        except (OSError, ValueError):  # ".." in a forged catalog is nobody's name
            self._missing = folder
            return None

    def _go(self, names: list[bytes]) -> None:
        way = self._way
        while way.names and way.names != names[: len(way.names)]:
            way.up()
        for name in names[len(way.names) :]:
            way.down(name)


def _relative(mapping: PathMapping, path: bytes) -> bytes:
    inside = path[len(mapping.prefix) + 1 :].strip(b"/")
    return b"/".join(filter(None, (mapping.below, inside)))


def _split(path: bytes) -> tuple[bytes, bytes]:
    folder, name = paths.split(path)
    return folder.strip(b"/"), name
