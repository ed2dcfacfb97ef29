"""Writing files so that a power cut neither loses nor halves them.

A new file is written under a temporary name, synced, renamed, and then its folder is synced: a
rename may reach the disk before the content, and a name only with its folder.
"""

import os
from pathlib import Path
from typing import IO


def sync(file: IO[bytes] | IO[str]) -> None:
    """Write an open file to the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_path(path: Path) -> None:
    """Write a closed file, or the names in a folder, to the disk."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
