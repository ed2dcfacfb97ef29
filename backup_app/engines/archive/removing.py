"""Removing a backup, so that a crash at any moment leaves it whole or known as removed.

A mark beside the volume says that it is being removed. Without a row in the database and without
that mark a complete volume is one that the database has lost, and is never deleted.
"""

from pathlib import Path

from django.db import transaction

from ...exceptions import EngineError, WrongState
from ...models import Job, JobSource, Volume
from ...models.job import GOOD, OPEN
from .storing import manifest_path, storage_folder, sync_folder

MARK = ".removing"


def remove(job: Job) -> None:
    """Delete a job's row with its catalog, then its manifest, then its volume.

    Raises WrongState while another job builds on it or reads it, EngineError when its storage is
    not there, and when its files stay: ``check_storage`` names them.
    """
    volume = Volume.objects.filter(job=job).first()
    if volume is None:
        _delete(job)
        return
    path = storage_folder(job.storage) / volume.path
    _set_mark(path)
    try:
        _delete(job)
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


def _delete(job: Job) -> None:
    with transaction.atomic():
        _require_unused(job)
        job.delete()


def _require_unused(job: Job) -> None:
    if job.is_open:
        raise WrongState(f"Job {job.pk} is {job.status}.")
    builders = JobSource.objects.filter(source=job, job__status__in=[*OPEN, *GOOD])
    if link := builders.exclude(job=job).order_by("job").first():
        raise WrongState(f"Backup {link.job_id} builds on backup {job.pk}.")
    if reader := job.children.open().order_by("pk").first():
        raise WrongState(f"Job {reader.pk} needs backup {job.pk} and is {reader.status}.")
