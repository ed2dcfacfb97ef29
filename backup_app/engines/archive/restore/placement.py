"""Moves what was restored from a private folder to where it belongs.

The destination may be changed by its owners at the same time. So nothing there is ever named by a
path: each folder on the way is opened from the one above it without following symlinks, and what
is placed is renamed from open folder to open folder.
"""

import dataclasses
import errno
import os
import stat
from collections.abc import Callable, Container
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import islice

from ...previews import Existing, compared, is_placed
from ...shared.dirfd import FolderWalk
from ...shared.metadata import copy_metadata
from ...shared.syscalls import exchange, rename_new
from ...shared.trees import copy_tree
from ...values import Tick
from .statuses import status_of

BATCH = 1000  # names of a folder held in memory


class PlacementError(Exception):
    """Something cannot be placed; the message says why."""


@dataclass
class Level:
    """A folder that is being merged into one that is there already."""

    status: os.stat_result
    names: list[tuple[bytes, bool]] = field(default_factory=list)  # (name, whether a folder)
    left: set[bytes] = field(default_factory=set)  # names that stay in the private folder
    done: bool = False

    def next(self, fd: int) -> tuple[bytes | None, bool]:
        """Return the next name in the open folder ``fd``; earlier ones have been moved."""
        if not self.names and not self.done:
            self.names = self._read(fd)
        return self.names.pop() if self.names else (None, False)

    def end(self) -> None:
        """Skip all remaining names."""
        self.names, self.done = [], True

    def _read(self, fd: int) -> list[tuple[bytes, bool]]:
        with os.scandir(fd) as entries:
            names = ((os.fsencode(e.name), e.is_dir(follow_symlinks=False)) for e in entries)
            return list(islice((pair for pair in names if pair[0] not in self.left), BATCH))


@dataclass
class Placement:
    """Merges an open private folder into an open destination folder.

    - A file, symlink or device takes the place of what has its name in one step; of a folder only
      if that is empty.
    - A folder that is new is moved whole. One that is there gets the content, then the metadata.
      One that is to be where something else is takes its place in one step.
    - What is to stay according to ``existing`` does, also if it has only just appeared.
    - Folders in ``passing`` only lead to what is to be placed: those that are there keep their
      metadata, and nothing makes way for them.

    Paths, also those that ``refuse(path, sentence)`` is told of, begin with ``base`` and have no
    slash at either end. What is refused stays in the private folder; all else is still placed.
    ``tick`` is called at each name, and may raise to end it: what is placed by then is whole.
    ``private(fd, path)`` makes another private folder in an open one of the destination, whose path
    begins where ``target`` does; it is needed where that is on another file system.
    """

    source: FolderWalk
    target: FolderWalk
    passing: Container[bytes]
    refuse: Callable[[bytes, str], None]
    tick: Tick
    private: Callable[[int, bytes], AbstractContextManager[int]]
    base: bytes = b""
    existing: Existing = Existing.OVERWRITE
    placed: int = 0  # names moved; a new folder counts as one with its content

    def run(self) -> None:
        """Place everything."""
        levels = [self._level()]
        while levels:
            self.tick()
            name, is_folder = levels[-1].next(self.source.fd)
            if name is None:
                self._leave(levels)
            elif self._place(levels[-1], name, is_folder):
                levels.append(self._level())

    def _level(self) -> Level:
        return Level(os.stat(self.source.fd))

    def _path(self, *names: bytes) -> bytes:
        return b"/".join(filter(None, (self.base, self.source.path, *names)))

    def _place(self, level: Level, name: bytes, is_folder: bool) -> bool:
        """Place a name; return whether it is a folder that was entered."""
        try:
            return self._place_folder(name) if is_folder else self._place_file(name)
        except PlacementError as e:
            self.refuse(self._path(name), str(e))
        except OSError as e:
            if e.errno == errno.EXDEV:
                return self._cross(level)
            self.refuse(self._path(name), f"It could not be placed: {e.strerror}.")
        level.left.add(name)
        return False

    def _place_file(self, name: bytes) -> bool:
        self._require_place(name)
        if self.existing == Existing.KEEP:
            rename_new(name, self.source.fd, self.target.fd)
            self.placed += 1
            return False
        folders = {"src_dir_fd": self.source.fd, "dst_dir_fd": self.target.fd}
        try:
            os.rename(name, name, **folders)
        except IsADirectoryError:
            _remove_empty(name, self.target.fd)
            os.rename(name, name, **folders)
        self.placed += 1
        return False

    def _require_place(self, name: bytes) -> None:
        """Raise PlacementError if what is in the place of a name stays, and was not there before.

        What was there before is not even unpacked.
        """
        if self.existing == Existing.OVERWRITE:
            return
        source, there = (status_of(name, walk.fd) for walk in (self.source, self.target))
        if source and not is_placed(compared(*source[:3], there), self.existing):
            raise PlacementError("Something has appeared in its place, and stays.")

    def _place_folder(self, name: bytes) -> bool:
        try:
            rename_new(name, self.source.fd, self.target.fd)
        except FileExistsError:
            return self._meet(name)
        self.placed += 1
        return False

    def _meet(self, name: bytes) -> bool:
        """Enter a folder that exists already, or replace anything else by the restored one."""
        there = os.stat(name, dir_fd=self.target.fd, follow_symlinks=False)
        if stat.S_ISDIR(there.st_mode):
            self._go_into(name)
            return True
        if self._path(name) in self.passing:
            raise PlacementError("Its path leads through a symlink or a file.")
        self._require_place(name)
        exchange(name, self.source.fd, self.target.fd)
        self.placed += 1
        os.unlink(name, dir_fd=self.source.fd)
        return False

    def _go_into(self, name: bytes) -> None:
        self.source.down(name)
        try:
            self.target.down(name)
        except OSError:
            self.source.up()
            raise

    def _leave(self, levels: list[Level]) -> None:
        """Set the metadata of the folder, and return to the one above."""
        level = levels.pop()
        if self._path() not in self.passing:
            self._finish(level)
        if not levels:
            return
        name = self.source.names[-1]
        self.source.up()
        self.target.up()
        try:
            os.rmdir(name, dir_fd=self.source.fd)
        except OSError:  # It holds what was refused.
            levels[-1].left.add(name)

    def _finish(self, level: Level) -> None:
        try:
            problems = copy_metadata(self.source.fd, level.status, self.target.fd)
        except OSError as e:  # The folder is gone.
            problems = [e]
        for problem in problems:
            self.refuse(self._path(), f"Its metadata could not be set: {problem.strerror}.")

    def _cross(self, level: Level) -> bool:
        """Place the rest of a folder whose destination is on another file system.

        It is copied there to a private folder first, as a whole: hard links are kept.
        """
        level.end()
        try:
            with self.private(self.target.fd, self.target.path) as private_fd:
                copy_tree(self.source.fd, b"copy", private_fd, self.tick)
                with FolderWalk(private_fd) as source:
                    source.down(b"copy")
                    self._place_copy(source.fd)
        except OSError as e:
            self.refuse(self._path(), f"It could not be copied to its file system: {e.strerror}.")
        return False

    def _place_copy(self, source_fd: int) -> None:
        with FolderWalk(source_fd) as source, FolderWalk(self.target.fd) as target:
            base = self._path()
            copy = dataclasses.replace(self, source=source, target=target, base=base)
            copy.run()
        self.placed = copy.placed


def _remove_empty(name: bytes, fd: int) -> None:
    try:
        os.rmdir(name, dir_fd=fd)
    except OSError as e:
        if e.errno not in (errno.ENOTEMPTY, errno.EEXIST):
            raise
        raise PlacementError("A folder that is not empty is in its place.") from e
