"""Restoring to this machine, below the folders that the operator listed."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ....exceptions import EngineError
from ....lib.paths import is_in
from ...shared.dirfd import OPEN_FOLDER, FolderWalk
from ...shared.metadata import copy_times
from ...shared.syscalls import sync_file_system
from ...shared.trees import drop_special_modes
from .. import paths
from ..transport.machines import LocalMachine, outside_roots
from .destination import Goal, goal_below, goals_in_place
from .placement import Placing
from .staging import Staging, opened

TREE = b"tree"
Refuse = Callable[[bytes, str], None]


@dataclass
class LocalTarget:
    """Where a restore on this machine unpacks to, and where it puts that then."""

    job: object
    destination: bytes  # b"/" is the original location
    tick: Callable[[], None]
    machine: LocalMachine = field(default_factory=LocalMachine)
    _private: int = -1

    @property
    def tree(self) -> bytes:
        """The path of the folder to unpack into, for programs that this process starts."""
        return b"/proc/%d/fd/%d/%b" % (os.getpid(), self._private, TREE)

    def require_room(self, plan) -> None:
        """Take out folders above the roots; raises EngineError for what has no place here."""
        if self.destination != paths.ROOT:
            self._goals = [goal_below(self.destination)]
            _require_way(self._goals[0])
            return
        self._goals = goals_in_place()
        plan.remove(self._leads_to_root)
        for path, kind in plan.placed():
            if not any(_has_place(path, kind, b"/" + goal.prefix) for goal in self._goals):
                raise outside_roots(path)

    @contextlib.contextmanager
    def private_folder(self, plan, work: Path) -> Iterator[None]:
        """Make a private folder with an empty ``tree`` in it, for as long as the block runs."""
        goal, below = self._anchor(plan)
        self._staging = Staging(self.job.pk, work)
        with self._staging.on_disk_of(goal.root, below) as fd:
            os.mkdir(TREE, 0o700, dir_fd=fd)
            self._private = fd
            yield

    def disarm(self) -> None:
        """Let no unpacked program run as its owner or group; raises EngineError."""
        try:
            with self._opened_tree() as tree_fd:
                drop_special_modes(tree_fd, self.tick)
        except OSError as e:
            raise EngineError(f"The restore could not be made harmless: {e.strerror}.") from e

    def drop(self, helping: Iterable[bytes], plan) -> None:
        """Remove what was unpacked only to help, and the folders that only lead to it."""
        with self._opened_tree() as tree_fd:
            for path in helping:
                with FolderWalk(tree_fd) as way:
                    _drop(way, path, plan.has)

    def place(self, passed: Iterable[bytes], refuse: Refuse) -> int:
        """Put everything where it belongs; return how many names were moved."""
        passing = {path.strip(b"/") for path in passed}
        if self.destination != paths.ROOT:
            passing.add(b"")
        sync_file_system(self._private)
        return sum(self._place(goal, passing, refuse) for goal in self._goals)

    def _place(self, goal: Goal, passing, refuse):
        with self._opened_tree() as tree_fd, FolderWalk(tree_fd) as tree:
            try:
                tree.go(goal.prefix)
            except FileNotFoundError:  # Nothing of it was to be restored.
                return 0
            with opened(goal.root) as root_fd, FolderWalk(root_fd) as way:
                _make_way(way, goal)
                return self._merge(tree.fd, way.fd, goal, passing, refuse)

    def _merge(self, source_fd, target_fd, goal, passing, refuse):
        def private(fd, path):
            parent = b"/".join(filter(None, (goal.below, path)))
            return self._staging.within(fd, goal.root, parent)

        with FolderWalk(source_fd) as source, FolderWalk(target_fd) as target:
            placing = Placing(source, target, passing, refuse, self.tick, private, goal.prefix)
            placing.run()
        return placing.placed

    def _anchor(self, plan):
        """Return the goal, and the folder in it, whose file system is to be unpacked on."""
        if self.destination != paths.ROOT:
            return self._goals[0], self._goals[0].below
        path, _ = next(plan.placed())
        for goal in self._goals:
            if is_in(path, b"/" + goal.prefix):
                return goal, paths.split(path)[0][len(goal.prefix) + 1 :].strip(b"/")
        raise EngineError(f"There is no place for '{paths.shown(path)}' on this machine.")

    def _leads_to_root(self, path, kind):
        above = any(is_in(b"/" + goal.prefix, path) for goal in self._goals)
        inside = any(is_in(path, b"/" + goal.prefix) for goal in self._goals)
        return kind == "d" and above and not inside

    @contextlib.contextmanager
    def _opened_tree(self):
        fd = os.open(TREE, OPEN_FOLDER, dir_fd=self._private)
        try:
            yield fd
        finally:
            os.close(fd)


def _has_place(path, kind, root):
    return is_in(path, root) and (kind == "d" or path != root)


def _require_way(goal):
    """Raise EngineError if what is there of a destination is not all folders."""
    with (
        opened(goal.root) as root_fd,
        FolderWalk(root_fd) as way,
        contextlib.suppress(FileNotFoundError),
    ):
        _go(way, goal)


def _go(way, goal, missing=None):
    for name in filter(None, goal.below.split(b"/")):
        try:
            if missing:
                missing(name, way.fd)
            way.down(name)
        except FileNotFoundError:
            raise
        except OSError as e:
            place = paths.shown(b"/".join(filter(None, (goal.root, way.path, name))))
            raise EngineError(
                f"The destination leads over '{place}', which is a symlink or no folder."
            ) from e


def _make_way(way, goal):
    def make(name, fd):
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o755, dir_fd=fd)

    _go(way, goal, make)


def _drop(way, path, is_planned):
    """Remove a file and the folders above it that are not planned, and no folder's times change."""
    folder, name = paths.split(path)
    way.go(folder)
    remove = os.unlink
    while True:
        status = os.stat(way.fd)
        remove(name, dir_fd=way.fd)
        copy_times(way.fd, status)
        if not way.names or is_planned(b"/" + way.path):
            return
        name, remove = way.names[-1], _remove_if_empty
        way.up()


def _remove_if_empty(name, *, dir_fd):
    with contextlib.suppress(OSError):  # Something else that helps is in it.
        os.rmdir(name, dir_fd=dir_fd)
