"""Comparing the files of a storage with the database, and what a worker lacks."""

import re
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path

from ....exceptions import EngineError
from ....lib.paths import shown
from ....models import Client, Job, Storage, Volume
from ...values import Problem
from ..databases import safety_dump
from ..restore import run, staging
from ..storage.labels import storage_fault, storage_folder
from ..storage.layout import manifest_path, volume_fault, volume_name
from ..storage.manifest import SUFFIX, ManifestReader
from ..storage.removal import MARK, mark_path, remove_volume

VOLUME = re.compile(r"job-(\d+)\.tar\.zst")
WORK = re.compile(r"job-(\d+)")
# What backups need on this machine, by how the client is connected.
PROGRAMS: dict[str, tuple[str, ...]] = {
    Client.Connection.LOCAL: ("cp", "env", "find", "pwd", "sh", "tar"),
    Client.Connection.SSH: ("ssh", "ssh-keygen"),
}
UNKNOWN = "The backup service did not create this."


def check_storage(storage: Storage, *, delete: bool = False) -> Iterator[Problem]:
    """Yield the differences; with ``delete`` remove files that belong to no job and are useless.

    A complete backup that the database has lost is never deleted: ``rebuild_catalog`` restores it.
    Files of running jobs are left alone.
    """
    try:
        folder = storage_folder(storage)
        # Files before rows: a backup that is complete now has its row by the time of the query.
        files = sorted(folder.glob("volumes/*/*"))
        works = sorted(folder.glob("work/*"))
        dumps = sorted(folder.glob(f"{safety_dump.FOLDER}/*/*"))
    except (EngineError, OSError) as e:
        yield Problem(storage.path, str(e))
        return
    known = {folder / volume.path: volume for volume in _volumes(storage)}
    yield from _catalogued(known, delete)
    yield from _without_volume(storage)
    yield from _orphans(files, known, delete)
    yield from _left_work(storage, works, delete)
    yield from safety_dump.orphans(dumps, delete=delete)


def _volumes(storage: Storage) -> Iterable[Volume]:
    volumes = Volume.objects.filter(job__storage=storage)
    return volumes.select_related("job__storage").order_by("job_id")


def _catalogued(known: dict[Path, Volume], delete: bool) -> Iterator[Problem]:
    for path, volume in known.items():
        if not Volume.objects.filter(pk=volume.pk).exists():
            continue  # removed since
        for place, message in _faults(path, volume):
            yield Problem(str(place), message, volume.job_id)
        mark = mark_path(path)
        if mark.exists():
            yield Problem(str(mark), "The removal of this backup was interrupted.", volume.job_id)
            if delete:
                mark.unlink(missing_ok=True)


def _faults(path: Path, volume: Volume) -> Iterator[tuple[Path, str]]:
    if fault := volume_fault(volume):
        yield path, fault
    try:
        manifest = ManifestReader(manifest_path(path))
    except EngineError as e:
        yield manifest_path(path), str(e)
        return
    if manifest.head["volume"].get("sha256") != volume.sha256.hex():
        message = f"The manifest does not belong to the volume of backup {volume.job_id}."
        yield manifest.path, message


def _without_volume(storage: Storage) -> Iterator[Problem]:
    backups = Job.objects.backups().good().filter(storage=storage).order_by("pk")
    for job in backups.filter(volume=None, source_links__isnull=False).distinct():
        path = Path(storage.path, volume_name(job))
        yield Problem(str(path), f"The catalog has no volume of backup {job.pk}.", job.pk)
    for job in backups.exclude(volume=None).exclude(level=Job.Level.FULL).filter(parent=None):
        yield Problem(storage.path, f"The backup that backup {job.pk} builds on is gone.", job.pk)


def _orphans(files: Iterable[Path], known: Iterable[Path], delete: bool) -> Iterator[Problem]:
    expected = {each for path in known for each in (path, manifest_path(path), mark_path(path))}
    seen = set()
    for file in files:
        volume = file.with_name(file.name.removesuffix(SUFFIX).removesuffix(MARK))
        if file in expected or volume in seen:
            continue
        seen.add(volume)
        match = VOLUME.fullmatch(volume.name)
        if match is None:
            yield Problem(str(file), UNKNOWN)
        elif not _is_live(volume, int(match[1])):
            yield from _orphan(file, volume, int(match[1]), delete)


def _orphan(file: Path, volume: Path, job_id: int, delete: bool) -> Iterator[Problem]:
    if not file.exists():
        return  # removed since
    if volume.exists() and manifest_path(volume).exists() and not mark_path(volume).exists():
        message = "The database lacks this backup: rebuild_catalog restores it."
        yield Problem(str(file), message, job_id)
        return
    yield Problem(str(file), "This volume belongs to no job.", job_id)
    if delete:
        yield from _removed(volume, job_id)


def _removed(volume: Path, job_id: int) -> Iterator[Problem]:
    try:
        remove_volume(volume)
    except EngineError as e:
        yield Problem(str(volume), str(e), job_id)


def _left_work(storage: Storage, works: Iterable[Path], delete: bool) -> Iterator[Problem]:
    for folder in works:
        match = WORK.fullmatch(folder.name)
        if match is None:
            yield Problem(str(folder), UNKNOWN)
            continue
        job_id = int(match[1])
        if _is_open(job_id) or not folder.exists():
            continue
        for place in staging.noted(folder):
            yield Problem(_private_folder(place), f"Job {job_id} left this behind.", job_id)
        yield Problem(str(folder), f"Job {job_id} left this behind.", job_id)
        if delete:
            _remove_work(storage, folder, job_id)


def _remove_work(storage: Storage, folder: Path, job_id: int) -> None:
    job = Job.objects.select_related("client", "storage").filter(pk=job_id).first()
    if job and job.type == Job.Type.RESTORE and job.storage == storage:
        run.discard(job)  # which also removes what it left on another machine
    staging.remove_noted(folder)
    shutil.rmtree(folder, ignore_errors=True)


def _private_folder(place: dict[str, bytes]) -> str:
    parts = [place.get(key, b"").strip(b"/") for key in ("root", "parent", "name")]
    return shown(b"/" + b"/".join(part for part in parts if part))


def _is_open(job_id: int) -> bool:
    return Job.objects.open().filter(pk=job_id).exists()


def _is_live(volume: Path, job_id: int) -> bool:
    """Return whether a volume's job is running, or became good since the files were listed."""
    of_job = Volume.objects.filter(
        job=job_id, path__endswith=f"/{volume.parent.name}/{volume.name}"
    )
    return _is_open(job_id) or of_job.exists()


def faults(alias: str) -> Iterator[str]:
    """Yield a sentence for each thing that the clients and pools of an engine lack."""
    yield from missing_programs(alias)
    storages = Storage.objects.filter(zone__engine=alias, pools__isnull=False)
    yield from filter(None, map(storage_fault, storages.distinct()))


def missing_programs(alias: str) -> Iterator[str]:
    """Yield a sentence for each program that the clients of an engine need on this machine."""
    connections = Client.objects.present().filter(zone__engine=alias).order_by()
    for connection in connections.values_list("connection", flat=True).distinct():
        for program in PROGRAMS.get(connection, ()):
            if shutil.which(program) is None:
                yield f"The program '{program}' is not installed."
