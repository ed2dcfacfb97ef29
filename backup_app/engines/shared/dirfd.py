"""Ways through folders that may be changed by others at the same time."""

import os

OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A path of 4,000 bytes can be 2,000 folders deep, and a process may have 1,024 files open.
MOST_OPEN = 64


class Way:
    """A way down from an open folder, one name at a time and never through a symlink.

    Only the last folders of it stay open; others are opened again, from the nearest that is.
    """

    def __init__(self, fd: int):
        """Start in the folder ``fd``, which stays the caller's to close."""
        self.names: list[bytes] = []
        self._open = {0: fd}

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        while self.names:
            self.up()

    @property
    def path(self) -> bytes:
        """The way gone so far, without a slash at either end."""
        return b"/".join(self.names)

    @property
    def fd(self) -> int:
        """The folder arrived at; OSError if it is no longer there, or behind a symlink now."""
        depth = len(self.names)
        for nearest in range(depth, -1, -1):
            if nearest in self._open:
                break
        for i in range(nearest, depth):
            self._keep(i + 1, os.open(self.names[i], OPEN_FOLDER, dir_fd=self._open[i]))
        return self._open[depth]

    def down(self, name: bytes) -> None:
        """Go into a folder; OSError if it is none."""
        if name in (b"", b".", b"..") or b"/" in name:
            raise ValueError(f"{name!r} is not a folder's name.")
        fd = os.open(name, OPEN_FOLDER, dir_fd=self.fd)
        self.names.append(name)
        self._keep(len(self.names), fd)

    def up(self) -> None:
        """Go back by one folder."""
        fd = self._open.pop(len(self.names), None)
        self.names.pop()
        if fd is not None:
            os.close(fd)

    def go(self, path: bytes) -> None:
        """Go down a relative path."""
        for name in path.split(b"/"):
            if name:
                self.down(name)

    def _keep(self, depth, fd):
        self._open[depth] = fd
        if len(self._open) > MOST_OPEN:
            shallowest = min(key for key in self._open if key)
            os.close(self._open.pop(shallowest))
