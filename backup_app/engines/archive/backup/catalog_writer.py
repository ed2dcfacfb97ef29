"""Filling the catalog while a backup is at work."""

from django.db import transaction

from ....lib.bulk import insert_rows
from ....models import Client, Entry, Folder, Job
from .. import paths
from ..catalog.folders import FOLDER, ensure_folder, folder_ids_by_hash
from ..storage.manifest import COLUMNS, ManifestWriter
from ..storage.tar_reader import Member
from .workspace import ToStore, Workspace

BATCH = 5_000
# What is inserted: the columns of a manifest, with IDs of folders instead of a path.
ENTRY = ["job_id", "folder_id", "node_id", "name", *COLUMNS[1:]]
FOLDERS = 900  # in one query; SQLite takes no more than 999 values by the book


class CatalogWriter:
    """Writes the entries of a job, each batch in a transaction of its own.

    Nobody reads them before the job is good.
    """

    def __init__(self, job: Job, manifest: ManifestWriter):
        self._job_id, self._client = job.pk, job.client
        self._manifest = manifest
        self._rows: list[tuple] = []
        self._lines: list[tuple] = []

    def add(self, member: Member, place: ToStore) -> None:
        """Add what tar has stored, with what find knew of it before it was read."""
        path, kind, size, mode, owner, group, mtime_ns, target, sha256, offset, length = member
        folder, name, ctime, inode = place.folder, place.name, place.ctime, place.inode
        # Since it was listed, what is there may have become a folder, or been one.
        node = (place.node or ensure_folder(self._client, path)) if kind == "d" else None
        self._rows.append(
            (
                self._job_id,
                folder,
                node,
                name,
                kind,
                size,
                mtime_ns,
                ctime,
                inode,
                mode,
                owner,
                group,
                target,
                sha256,
                offset,
                length,
            )
        )
        self._lines.append(
            (
                path.decode("latin-1"),
                kind,
                size,
                mtime_ns,
                ctime,
                inode,
                mode,
                owner,
                group,
                target.decode("latin-1"),
                sha256.hex() if sha256 else None,
                offset,
                length,
            )
        )
        if len(self._rows) >= BATCH:
            self.flush()

    def add_gone(self, folder: int, folder_path: bytes, name: bytes) -> None:
        """Add that something is no longer there."""
        self._rows.append(
            (self._job_id, folder, None, name, "-", 0, 0, 0, 0, 0, "", "", b"", None, 0, 0)
        )
        path = paths.join(folder_path, name).decode("latin-1")
        self._lines.append((path, "-", 0, 0, 0, 0, 0, "", "", "", None, 0, 0))
        if len(self._rows) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what has been added so far."""
        with transaction.atomic():
            insert_rows(Entry, ENTRY, self._rows)
        self._manifest.add(self._lines)
        self._rows.clear()
        self._lines.clear()


def give_folders(client: Client, workspace: Workspace) -> None:
    """See to it that all folders that were listed are in the catalog, and tell their IDs."""
    for rows in workspace.dirs_without_folder(FOLDERS):
        hashes = {paths.digest(path): number for number, _, path, _ in rows}
        found = folder_ids_by_hash(client, hashes)
        missing = [
            (client.pk, parent, name, path, digest)
            for (_, name, path, parent), digest in zip(rows, hashes, strict=True)
            if digest not in found
        ]
        if missing:
            with transaction.atomic():
                insert_rows(Folder, FOLDER, missing)
            found = folder_ids_by_hash(client, hashes)
        workspace.give_folders((found[digest], number) for digest, number in hashes.items())
