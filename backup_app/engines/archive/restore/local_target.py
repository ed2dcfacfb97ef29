"""Restoring to this machine, below the folders in BACKUP_LOCAL_ROOTS."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from ....exceptions import EngineError
from ....lib import paths
from ....lib.paths import is_in, shown
from ....models import Job
from ...previews import Existing
from ...shared.dirfd import OPEN_FOLDER, FolderWalk
from ...shared.metadata import copy_times
from ...shared.syscalls import sync_file_system
from ...shared.trees import drop_special_modes
from ...values import Tick
from ..transport.machines import LocalMachine, outside_roots
from .destination import PathMapping, mapping_to, original_mappings
from .placement import Placement
from .plan import RestorePlan
from .staging import Staging, opened
from .statuses import LocalStatuses

TREE = b"tree"
Refuse = Callable[[bytes, str], None]


@dataclass
class LocalTarget:
    """Unpacks a restore into a private folder of this machine, and places it from there."""

    job: Job
    destination: bytes  # b"/" is the original location
    tick: Tick
    machine: LocalMachine = field(default_factory=LocalMachine)
    existing: Existing = Existing.OVERWRITE
    _private: int = -1

    @property
    def tree(self) -> bytes:
        """The path of the folder to unpack into, for programs that this process starts."""
        return b"/proc/%d/fd/%d/%b" % (os.getpid(), self._private, TREE)

    def require_room(self, plan: RestorePlan) -> None:
        """Drop folders above the roots; raises EngineError for anything else outside of them."""
        if self.destination != paths.ROOT:
            self._mappings = [mapping_to(self.destination)]
            _require_folders(self._mappings[0])
            return
        self._mappings = original_mappings()
        plan.remove(self._leads_to_root)
        for path, kind in plan.placed():
            if not any(_has_place(path, kind, b"/" + mapping.prefix) for mapping in self._mappings):
                raise outside_roots(path)

    @property
    def place_now(self) -> LocalStatuses:
        """What is there now; after ``require_room``."""
        return LocalStatuses(self._mappings)

    @contextlib.contextmanager
    def private_folder(self, plan: RestorePlan, work: Path) -> Iterator[None]:
        """Make a private folder with an empty ``tree`` in it, for as long as the block runs."""
        mapping, below = self._anchor(plan)
        self._staging = Staging(self.job.pk, work)
        with self._staging.on_disk_of(mapping.root, below) as fd:
            os.mkdir(TREE, 0o700, dir_fd=fd)
            self._private = fd
            yield

    def disarm(self) -> None:
        """Clear set-user-ID and set-group-ID of all unpacked files; raises EngineError."""
        try:
            with self._opened_tree() as tree_fd:
                drop_special_modes(tree_fd, self.tick)
        except OSError as e:
            raise EngineError(
                f"The special modes of restored files could not be cleared: {e.strerror}."
            ) from e

    def drop(self, helping: Iterable[bytes], plan: RestorePlan) -> None:
        """Remove the targets that only helped, and folders that only lead to them."""
        with self._opened_tree() as tree_fd:
            for path in helping:
                with FolderWalk(tree_fd) as way:
                    _drop(way, path, plan.has)

    def place(self, passed: Iterable[bytes], refuse: Refuse) -> int:
        """Move everything to its place; return how many names were moved."""
        passing = {path.strip(b"/") for path in passed}
        if self.destination != paths.ROOT:
            passing.add(b"")
        sync_file_system(self._private)
        return sum(self._place(mapping, passing, refuse) for mapping in self._mappings)

    def _place(self, mapping: PathMapping, passing: set[bytes], refuse: Refuse) -> int:
        with self._opened_tree() as tree_fd, FolderWalk(tree_fd) as tree:
            try:
                tree.go(mapping.prefix)
            except FileNotFoundError:  # Nothing of it was to be restored.
                return 0
            with opened(mapping.root) as root_fd, FolderWalk(root_fd) as way:
                _make_folders(way, mapping)
                return self._merge(tree.fd, way.fd, mapping, passing, refuse)

    def _merge(
        self,
        source_fd: int,
        target_fd: int,
        mapping: PathMapping,
        passing: set[bytes],
        refuse: Refuse,
    ) -> int:
        def private(fd: int, path: bytes) -> AbstractContextManager[int]:
            parent = b"/".join(filter(None, (mapping.below, path)))
            return self._staging.within(fd, mapping.root, parent)

        with FolderWalk(source_fd) as source, FolderWalk(target_fd) as target:
            placement = Placement(
                *(source, target, passing, refuse, self.tick, private),
                base=mapping.prefix,
                existing=self.existing,
            )
            placement.run()
        return placement.placed

    def _anchor(self, plan: RestorePlan) -> tuple[PathMapping, bytes]:
        """Return a mapping, and a folder in it, on whose file system to unpack."""
        if self.destination != paths.ROOT:
            return self._mappings[0], self._mappings[0].below
        path, _ = next(plan.placed())
        mapping = next(each for each in self._mappings if is_in(path, b"/" + each.prefix))
        return mapping, paths.split(path)[0][len(mapping.prefix) + 1 :].strip(b"/")

    def _leads_to_root(self, path: bytes, kind: str) -> bool:
        above = any(is_in(b"/" + mapping.prefix, path) for mapping in self._mappings)
        inside = any(is_in(path, b"/" + mapping.prefix) for mapping in self._mappings)
        return kind == "d" and above and not inside

    @contextlib.contextmanager
    def _opened_tree(self) -> Iterator[int]:
        fd = os.open(TREE, OPEN_FOLDER, dir_fd=self._private)
        try:
            yield fd
        finally:
            os.close(fd)


def _has_place(path: bytes, kind: str, root: bytes) -> bool:
    return is_in(path, root) and (kind == "d" or path != root)


def _require_folders(mapping: PathMapping) -> None:
    """Raise EngineError if a part of the destination exists and is not a folder."""
    with (
        opened(mapping.root) as root_fd,
        FolderWalk(root_fd) as way,
        contextlib.suppress(FileNotFoundError),
    ):
        _go(way, mapping)


def _go(
    way: FolderWalk, mapping: PathMapping, missing: Callable[[bytes, int], None] | None = None
) -> None:
    for name in filter(None, mapping.below.split(b"/")):
        try:
            if missing:
                missing(name, way.fd)
            way.down(name)
        except FileNotFoundError:
            raise
        except OSError as e:
            place = shown(b"/".join(filter(None, (mapping.root, way.path, name))))
            raise EngineError(
                f"The destination leads through '{place}', which is a symlink or not a folder."
            ) from e


def _make_folders(way: FolderWalk, mapping: PathMapping) -> None:
    def make(name: bytes, fd: int) -> None:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o755, dir_fd=fd)

    _go(way, mapping, make)


def _drop(way: FolderWalk, path: bytes, is_planned: Callable[[bytes], bool]) -> None:
    """Remove a file and the folders above it that are not planned, and no folder's times change."""
    folder, name = paths.split(path)
    way.go(folder)
    remove: Callable[[bytes, int], None] = _unlink
    while True:
        status = os.stat(way.fd)
        remove(name, way.fd)
        copy_times(way.fd, status)
        if not way.names or is_planned(b"/" + way.path):
            return
        name, remove = way.names[-1], _remove_if_empty
        way.up()


def _unlink(name: bytes, folder_fd: int) -> None:
    os.unlink(name, dir_fd=folder_fd)


def _remove_if_empty(name: bytes, folder_fd: int) -> None:
    with contextlib.suppress(OSError):  # It contains another helping target.
        os.rmdir(name, dir_fd=folder_fd)
