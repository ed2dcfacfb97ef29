"""Where the files of a job are in its storage.

A running job writes to ``work/job-<id>/``. From there the complete volume is renamed to
``volumes/<client id>/job-<id>.tar.zst``, and then its manifest beside it: a volume with a manifest
is complete.
"""

import shutil
from collections.abc import Iterable
from pathlib import Path

from ....exceptions import EngineError
from ....models import Job, Volume
from ...shared.durable import sync_path
from ...shared.job_parts import storage_of
from .labels import storage_folder
from .manifest import SUFFIX


def work_folder(job: Job) -> Path:
    """Return the work folder of a job; raises EngineError if its storage is unavailable."""
    return storage_folder(storage_of(job)) / "work" / f"job-{job.pk}"


def volume_name(job: Job) -> str:
    """Return the path of a job's volume below the storage's folder."""
    return f"volumes/{job.client_id}/job-{job.pk}.tar.zst"


def manifest_path(volume: Path) -> Path:
    """Return the path of the manifest that belongs to a volume's file."""
    return volume.with_name(volume.name + SUFFIX)


def volume_path(volume: Volume) -> Path:
    """Return the file of a volume; raises EngineError if its storage is unavailable."""
    return storage_folder(storage_of(volume.job)) / volume.path


def volume_files(job_ids: Iterable[int]) -> dict[int, Path]:
    """Return the volume's file of each of these jobs.

    Raises EngineError for a job without a volume, and for an unavailable storage.
    """
    ids = list(job_ids)
    volumes = Volume.objects.filter(job__in=ids).select_related("job__storage")
    found = {volume.job_id: volume_path(volume) for volume in volumes}
    for job_id in ids:
        if job_id not in found:
            raise EngineError(f"Backup {job_id} has no volume.")
    return found


def volume_fault(volume: Volume) -> str:
    """Return a sentence if a volume's file is missing or has another size; "" if it is fine."""
    try:
        path = volume_path(volume)
        size = path.stat().st_size
    except EngineError as e:
        return str(e)
    except OSError as e:
        return f"The volume '{path}' of backup {volume.job_id} cannot be read: {e.strerror}."
    if size == volume.size:
        return ""
    return f"The volume '{path}' of backup {volume.job_id} has {size} bytes, not {volume.size}."


def make_work_folder(job: Job) -> Path:
    """Return a new, empty work folder that only the service's user can read."""
    folder = work_folder(job)
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700)
    return folder


def remove_work_folder(job: Job) -> None:
    """Remove a job's work folder; what cannot be removed is reported by ``check_storage``."""
    shutil.rmtree(work_folder(job), ignore_errors=True)


def put(temporary: Path, final: Path) -> None:
    """Rename a complete, synced file to its final name, durably; see ``shared.durable``."""
    for folder in (final.parent.parent, final.parent):
        folder.mkdir(mode=0o700, exist_ok=True)
    temporary.rename(final)
    for folder in (final.parent, final.parent.parent, final.parent.parent.parent):
        sync_path(folder)


def require_new(job: Job) -> None:
    """Raise EngineError if the file of this job's volume exists already.

    It is then from a job with the same ID, which an older copy of the database has lost.
    """
    volume = storage_folder(storage_of(job)) / volume_name(job)
    if volume.exists() or manifest_path(volume).exists():
        raise EngineError(
            f"The volume '{volume}' exists but is missing from the database: rebuild_catalog"
            " restores it."
        )


def remove_files(job: Job) -> None:
    """Remove the files of a job; first the manifest, without which a volume is not complete.

    A job that never began to write has no files: a volume of its name is that of a lost job with
    the same ID. Raises EngineError if the storage is unavailable.
    """
    if not (work_folder(job).exists() or Volume.objects.filter(job=job).exists()):
        return
    volume = storage_folder(storage_of(job)) / volume_name(job)
    manifest_path(volume).unlink(missing_ok=True)
    volume.unlink(missing_ok=True)
    remove_work_folder(job)
