"""Removing a backup, so that a crash at any moment leaves it whole or known as removed.

A mark beside the volume says that it is being removed. Without a row in the database and without
that mark a complete volume is one that the database has lost, and is never deleted.
"""

from pathlib import Path

from ....exceptions import EngineError
from ....models import Job, Storage, Volume
from ...shared.removal import delete_job
from .labels import storage_folder
from .layout import manifest_path, sync_folder

MARK = ".removing"


def remove(job: Job) -> None:
    """Delete a job's row with its catalog, then its manifest, then its volume.

    Raises WrongState while another job builds on it or reads it, EngineError when its storage is
    not there, and when its files stay: ``check_storage`` names them.
    """
    volume = Volume.objects.filter(job=job).first()
    if volume is None:
        delete_job(job)
        return
    path = storage_folder(job.storage) / volume.path
    _set_mark(path)
    try:
        delete_job(job)
    except BaseException:
        mark_path(path).unlink(missing_ok=True)
        raise
    remove_volume(path)


def remove_volume(path: Path) -> None:
    """Delete a manifest, its volume and their mark, whichever is there; raises EngineError."""
    try:
        for each in (manifest_path(path), path, mark_path(path)):
            each.unlink(missing_ok=True)
        if path.parent.is_dir():
            sync_folder(path.parent)
    except OSError as e:
        raise EngineError(f"The volume '{path}' cannot be deleted: {e.strerror}.") from e


def finish_removals(storage: Storage) -> None:
    """Remove the volumes whose removal was killed after the database had forgotten their jobs.

    Raises EngineError when the storage is not there, or one of them stays.
    """
    folder = storage_folder(storage)
    for mark in folder.glob(f"volumes/*/*{MARK}"):
        volume = mark.with_name(mark.name.removesuffix(MARK))
        known = Volume.objects.filter(job__storage=storage, path=volume.relative_to(folder))
        if not known.exists():
            remove_volume(volume)


def mark_path(volume: Path) -> Path:
    return volume.with_name(volume.name + MARK)


def _set_mark(path: Path) -> None:
    if not path.parent.is_dir():
        return
    try:
        mark_path(path).touch(mode=0o600)
        sync_folder(path.parent)
    except OSError as e:
        raise EngineError(f"The volume '{path}' cannot be removed: {e.strerror}.") from e
