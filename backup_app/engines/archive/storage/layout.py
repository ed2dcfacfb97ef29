"""The files of a job in its storage: while it works, and once they are complete.

``work/job-<id>/`` is the job's own while it works. ``volumes/<client id>/job-<id>.tar.zst`` and
its manifest come into being by a rename, after all of their bytes are on the disk.
"""

import os
import shutil
from collections.abc import Iterable
from pathlib import Path

from ....exceptions import EngineError
from ....models import Job, Volume
from .labels import storage_folder
from .manifest import SUFFIX


def work_folder(job: Job) -> Path:
    """Return the folder of a job while it works; raises EngineError unless its storage is there."""
    return storage_folder(job.storage) / "work" / f"job-{job.pk}"


def volume_name(job: Job) -> str:
    """Return the path of a job's volume below the storage's folder."""
    return f"volumes/{job.client_id}/job-{job.pk}.tar.zst"


def manifest_path(volume: Path) -> Path:
    return volume.with_name(volume.name + SUFFIX)


def volume_path(volume: Volume) -> Path:
    """Return where a volume is; raises EngineError unless its storage is there."""
    return storage_folder(volume.job.storage) / volume.path


def volume_files(job_ids: Iterable[int]) -> dict[int, Path]:
    """Return the volume file of each job.

    Raises EngineError for one that has none, and for a storage that is not there.
    """
    wanted = list(job_ids)
    volumes = Volume.objects.filter(job__in=wanted).select_related("job__storage")
    found = {volume.job_id: volume_path(volume) for volume in volumes}
    for job_id in wanted:
        if job_id not in found:
            raise EngineError(f"Backup {job_id} has no volume.")
    return found


def volume_fault(volume: Volume) -> str:
    """Return in a sentence what is wrong with a volume's file, going by its size; "" if nothing."""
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
    """Return a new empty work folder that only this service's user can read."""
    folder = work_folder(job)
    shutil.rmtree(folder, ignore_errors=True)
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(mode=0o700)
    return folder


def remove_work_folder(job: Job) -> None:
    """Remove a job's work folder; check_storage names what cannot be removed."""
    shutil.rmtree(work_folder(job), ignore_errors=True)


def put(temporary: Path, final: Path) -> None:
    """Give a complete file its name, in a way that a power cut does not undo."""
    for folder in (final.parent.parent, final.parent):
        folder.mkdir(mode=0o700, exist_ok=True)
    temporary.rename(final)
    for folder in (final.parent, final.parent.parent, final.parent.parent.parent):
        sync_folder(folder)


def sync(file) -> None:
    """Write an open file to the disk."""
    file.flush()
    os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Write the names in a folder to the disk."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def require_new(job: Job) -> None:
    """Raise EngineError if there is a volume already where this job's will be.

    It is from a time that the database has lost; its job had the same ID.
    """
    volume = storage_folder(job.storage) / volume_name(job)
    if volume.exists() or manifest_path(volume).exists():
        raise EngineError(
            f"There is a volume '{volume}' that the database does not know: rebuild_catalog brings"
            " it back."
        )


def remove_files(job: Job) -> None:
    """Remove all that a job has in its storage; the manifest first, which makes it readable.

    A job that never began to write has nothing: what has its name there is another's. Raises
    EngineError unless the storage is there.
    """
    if job.storage is None:
        return
    if not (work_folder(job).exists() or Volume.objects.filter(job=job).exists()):
        return
    volume = storage_folder(job.storage) / volume_name(job)
    manifest_path(volume).unlink(missing_ok=True)
    volume.unlink(missing_ok=True)
    remove_work_folder(job)
