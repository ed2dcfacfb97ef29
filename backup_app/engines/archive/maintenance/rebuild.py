"""Rebuilding the catalog from the manifests in a storage."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import transaction

from ....exceptions import BackupError, EngineError
from ....lib import paths
from ....lib.bulk import batches, insert_rows, keep_id
from ....models import Client, Entry, Job, JobSource, Storage, Volume
from ...values import Problem, StorageIdentity
from ..backup.catalog_writer import ENTRY
from ..catalog.folders import folder_ids, make_folders
from ..storage.labels import FILE as LABEL
from ..storage.labels import read_label, storage_folder
from ..storage.manifest import SUFFIX, Head, ManifestReader, Row
from ..storage.removal import mark_path
from .rebuild_owners import Owners, moment

RELATED = "client", "fileset", "pool", "storage__zone"
MESSAGE = "Rebuilt from its manifest."
WITHOUT_END = f"{MESSAGE} It has no end time, so the start time was used."
FAULTS = BackupError, KeyError, TypeError, ValueError  # of an invalid manifest


@dataclass(frozen=True)
class Found:
    """A volume with a manifest."""

    volume: Path
    name: str  # below the storage's folder
    manifest: ManifestReader

    @property
    def head(self) -> Head:
        """The head of its manifest."""
        return self.manifest.head


def identify(folder: Path) -> StorageIdentity:
    """Return the label of a storage's folder and the zone that its newest readable manifest names.

    Raises EngineError unless the folder has a label.
    """
    label = read_label(folder, f"the folder '{folder}'")
    if label is None:
        inside = next((path.parent for path in sorted(folder.glob(f"*/{LABEL}"))), None)
        hint = f" Its folder '{inside}' is one." if inside else ""
        raise EngineError(
            f"The folder '{folder}' has no file '{LABEL}', so it is no storage.{hint}"
        )
    for path in sorted(folder.glob(f"volumes/*/*{SUFFIX}"), key=_age):
        with suppress(EngineError):
            zone = ManifestReader(path).head["zone"]
            return StorageIdentity(label, str(zone.get("name", "")), str(zone.get("title", "")))
    return StorageIdentity(label)


def _age(path: Path) -> float:
    return -path.stat().st_mtime


def rebuild_catalog(
    storage: Storage, *, dry_run: bool = False, heir: Any = None
) -> Iterator[Job | Problem]:
    """Yield each backup that was rebuilt, and a Problem for each that could not be.

    Backups in the database are left unchanged, and those marked as removed are left out. A backup
    is rebuilt in one transaction, with its former ID if that is free and above those of the
    backups that it builds on. With ``dry_run`` nothing is stored. The account ``heir`` gets what
    belongs to accounts that do not exist; without one they are made.
    """
    folder = storage_folder(storage)
    owners = Owners(storage, dry_run=dry_run, heir=heir)
    found: list[Found] = []
    yield from _read(storage, folder, found)
    found.sort(key=lambda each: each.head["job"]["id"], reverse=True)
    for each in found:
        # Errors are reported for each backup below.
        with suppress(*FAULTS):
            owners.client(each.head)
    rebuilt: set[str] = set()
    for each in reversed(found):
        yield _rebuild(Rebuild(storage, owners, each, rebuilt), each, dry_run)


def _rebuild(rebuild: "Rebuild", found: Found, dry_run: bool) -> Job | Problem:
    try:
        return rebuild.job(dry_run=dry_run)
    except FAULTS as e:
        words = str(e) if isinstance(e, BackupError) else f"The manifest is invalid: {e!r}."
        return Problem(str(found.manifest.path), words, found.head["job"]["id"])


def _read(storage: Storage, folder: Path, found: list[Found]) -> Iterator[Problem]:
    """Add the backups to rebuild to ``found``; yield a Problem for each that cannot be."""
    # Files before rows: a backup whose manifest exists now has its row by the time of the query.
    manifests = sorted(folder.glob(f"volumes/*/*{SUFFIX}"))
    known = set(Volume.objects.filter(job__storage=storage).values_list("path", flat=True))
    for path in manifests:
        volume = path.with_name(path.name.removesuffix(SUFFIX))
        name = str(volume.relative_to(folder))
        if name in known or mark_path(volume).exists():
            continue
        try:
            each = Found(volume, name, ManifestReader(path))
            _require_volume(each)
        except EngineError as e:
            yield Problem(str(path), str(e))
        else:
            if not _is_running(each.head):
                found.append(each)


def _is_running(head: Head) -> bool:
    same = {"pk": head["job"]["id"], "client": head["client"]["id"]}
    return Job.objects.open().filter(**same).exists()


def _require_volume(found: Found) -> None:
    size = found.head["volume"].get("size")
    if not all(isinstance(found.head[part].get("id"), int) for part in ("job", "client")):
        raise EngineError(
            f"The manifest '{found.manifest.path}' lacks the ID of the job or client."
        )
    if not found.volume.is_file():
        raise EngineError(f"The volume '{found.volume}' is missing.")
    if found.volume.stat().st_size != size:
        stored = found.volume.stat().st_size
        raise EngineError(f"The volume '{found.volume}' has {stored} bytes, not {size}.")


class Rebuild:
    """Rebuilds one backup; ``rebuilt`` are the volumes of those before it."""

    def __init__(self, storage: Storage, owners: Owners, found: Found, rebuilt: set[str]):
        self._storage, self._owners = storage, owners
        self._found, self._rebuilt = found, rebuilt
        self._head = found.head

    def job(self, *, dry_run: bool) -> Job:
        """Return the rebuilt job; raises BackupError, or one of FAULTS for an invalid manifest."""
        client = self._owners.client(self._head)
        sources = self._sources(client, dry_run=dry_run)
        job = self._row(client, sources)
        self._rebuilt.add(self._found.name)
        if dry_run:
            job.stored_bytes = self._head["volume"]["size"]
            return job
        # Each batch in its own transaction: folders without entries do no harm.
        for rows in batches(self._found.manifest.rows()):
            make_folders(client, _folders_of(rows))
        with transaction.atomic():
            self._store(job, client, sources)
        return Job.objects.select_related(*RELATED).get(pk=job.pk)

    def _sources(self, client: Client, *, dry_run: bool) -> list[int]:
        """Return the present IDs of the backups that this one builds on."""
        names = dict(list(self._found.manifest.sources.items())[:-1])
        volumes = Volume.objects.filter(path__in=names, job__client=client.pk)
        there = dict(volumes.values_list("path", "job_id"))
        if dry_run:
            there = {name: names[name] for name in names if name in self._rebuilt} | there
        if missing := [number for name, number in names.items() if name not in there]:
            raise EngineError(f"It builds on backup {missing[0]}, which is missing.")
        return sorted(there.values())

    def _row(self, client: Client, sources: list[int]) -> Job:
        values = self._head["job"]
        is_free = not Job.objects.filter(pk=values["id"]).exists()
        started, ended = moment(values["started"]), moment(values.get("ended"))
        return Job(
            pk=values["id"] if is_free and values["id"] > max(sources, default=0) else None,
            account=client.account,
            client=client,
            name=values["name"],
            type=Job.Type.BACKUP,
            level=values["level"],
            status=Job.Status.COMPLETED,
            engine=values["engine"],
            fileset=self._owners.fileset(self._head),
            pool=self._owners.pool(self._head),
            storage=self._storage,
            parent_id=sources[-1] if sources else None,
            requested_by=values["requested_by"],
            created=datetime.fromisoformat(values["created"]),
            started=started,
            # Not the times of its files: they may be copies.
            ended=max(filter(None, (started, ended)), default=None),
            message=MESSAGE if ended else WITHOUT_END,
        )

    def _store(self, job: Job, client: Client, sources: list[int]) -> None:
        created, volume = job.created, self._head["volume"]
        job.save(force_insert=True)
        keep_id(Job)
        files = size = 0
        for rows in batches(self._found.manifest.rows()):
            _insert(job, client, rows)
            content = [row.size for row in rows if row.kind not in "d-"]
            files, size = files + len(content), size + sum(content)
        JobSource.objects.bulk_create(
            JobSource(job=job, source_id=source) for source in [*sources, job.pk]
        )
        Volume.objects.create(
            job=job,
            path=self._found.name,
            size=volume["size"],
            tar_size=volume["tar_size"],
            sha256=bytes.fromhex(volume["sha256"]),
        )
        done = {"files": files, "files_done": files, "bytes": size, "bytes_done": size}
        stored = {"stored_bytes": volume["size"], "created": created}
        Job.objects.filter(pk=job.pk).update(**done, **stored)
        Client.objects.filter(pk=client.pk, created__gt=created).update(created=created)


def _folders_of(rows: list[Row]) -> set[bytes]:
    places = {paths.split(row.path)[0] for row in rows}
    return places | {row.path for row in rows if row.kind == Entry.Kind.DIRECTORY}


def _insert(job: Job, client: Client, rows: list[Row]) -> None:
    folders = folder_ids(client, _folders_of(rows))
    entries = []
    for row in rows:
        folder, name = paths.split(row.path)
        node = folders[row.path] if row.kind == Entry.Kind.DIRECTORY else None
        entries.append((job.pk, folders[folder], node, name, *row[1:]))
    insert_rows(Entry, ENTRY, entries)
