"""Removing a backup, so that a crash at any moment leaves it either whole or marked as removed.

A mark beside the volume says that it is being removed. A complete volume that has neither a row in
the database nor a mark is one that the database has lost, and is never deleted.
"""

from pathlib import Path

from ....exceptions import EngineError
from ....models import Job, Storage, Volume
from ...shared.durable import sync_path
from ...shared.job_parts import storage_of
from ...shared.removal import delete_job
from .labels import storage_folder
from .layout import manifest_path

MARK = ".removing"


def remove(job: Job) -> None:
    """Delete a job's row with its catalog, then its manifest, then its volume.

    Raises WrongState while another job needs it, and EngineError if its storage is unavailable or
    its files cannot be deleted; ``check_storage`` reports these.
    """
    volume = Volume.objects.filter(job=job).first()
    if volume is None:
        delete_job(job)
        return
    path = storage_folder(storage_of(job)) / volume.path
    _set_mark(path)
    try:
        delete_job(job)
    except BaseException:
        mark_path(path).unlink(missing_ok=True)
        raise
    remove_volume(path)


def remove_volume(path: Path) -> None:
    """Delete a manifest, its volume and their mark, whichever exist; raises EngineError."""
    try:
        # The mark goes last: until then an interrupted removal is found and finished.
        for each in (manifest_path(path), path, mark_path(path)):
            each.unlink(missing_ok=True)
        if path.parent.is_dir():
            sync_path(path.parent)
    except OSError as e:
        raise EngineError(f"The volume '{path}' cannot be deleted: {e.strerror}.") from e


def finish_removals(storage: Storage) -> None:
    """Delete the volumes whose removal was interrupted after their rows were deleted.

    Raises EngineError if the storage is unavailable or a file cannot be deleted.
    """
    folder = storage_folder(storage)
    for mark in folder.glob(f"volumes/*/*{MARK}"):
        volume = mark.with_name(mark.name.removesuffix(MARK))
        known = Volume.objects.filter(job__storage=storage, path=volume.relative_to(folder))
        if not known.exists():
            remove_volume(volume)


def mark_path(volume: Path) -> Path:
    """Return the path of the mark that says that a volume is being removed."""
    return volume.with_name(volume.name + MARK)


def _set_mark(path: Path) -> None:
    if not path.parent.is_dir():
        return
    try:
        mark_path(path).touch(mode=0o600)
        sync_path(path.parent)
    except OSError as e:
        raise EngineError(f"The volume '{path}' cannot be removed: {e.strerror}.") from e
