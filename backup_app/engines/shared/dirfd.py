"""Walking through folders that other users may change at the same time.

A path is resolved anew by each system call: between a check and its use its owner can put a symlink
in the place of a folder, and lead a program that runs as root anywhere. So folders are opened one
from the other, each with O_NOFOLLOW, and files are named relative to an open folder.
"""

import os
from typing import Self

OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A path of 4,000 bytes can be 2,000 folders deep, and a process may have 1,024 files open.
MAX_OPEN = 64


class FolderWalk:
    """A position below an open folder, reached one name at a time and never through a symlink.

    Only the last MAX_OPEN folders on the path stay open; others are opened again when needed.
    """

    def __init__(self, fd: int):
        """Start in the folder ``fd``, which the caller closes."""
        self.names: list[bytes] = []
        self._open = {0: fd}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        while self.names:
            self.up()

    @property
    def path(self) -> bytes:
        """The path from the start, without a slash at either end."""
        return b"/".join(self.names)

    @property
    def fd(self) -> int:
        """The current folder; OSError if it is gone, or has become a symlink."""
        depth = len(self.names)
        for i in range(max(self._open), depth):
            self._keep(i + 1, os.open(self.names[i], OPEN_FOLDER, dir_fd=self._open[i]))
        return self._open[depth]

    def down(self, name: bytes) -> None:
        """Enter a folder; OSError if it is anything else."""
        if name in (b"", b".", b"..") or b"/" in name:
            raise ValueError(f"{name!r} is not a folder's name.")
        fd = os.open(name, OPEN_FOLDER, dir_fd=self.fd)
        self.names.append(name)
        self._keep(len(self.names), fd)

    def up(self) -> None:
        """Return to the folder above."""
        fd = self._open.pop(len(self.names), None)
        self.names.pop()
        if fd is not None:
            os.close(fd)

    def go(self, path: bytes) -> None:
        """Follow a relative path; raises OSError as ``down``."""
        for name in path.split(b"/"):
            if name:
                self.down(name)

    def _keep(self, depth: int, fd: int) -> None:
        self._open[depth] = fd
        if len(self._open) > MAX_OPEN:
            shallowest = min(key for key in self._open if key)
            os.close(self._open.pop(shallowest))
