"""How much room the disk of a storage has."""

import shutil
from pathlib import Path


def disk_usage(storage) -> tuple[int, int] | None:
    """Return (capacity, free) in bytes of the disk that a storage's folder is, or will be, on.

    None where it cannot be asked.
    """
    if not storage.path:
        return None
    try:
        usage = shutil.disk_usage(_nearest(Path(storage.path)))
    except OSError:
        return None
    return usage.total, usage.free


def _nearest(folder):
    """Return the folder, or of those above it the first that is there."""
    return next(place for place in (folder, *folder.parents) if place.exists())
