"""Writing a running backup to the catalog and to its manifest."""

from typing import Any

from django.db import transaction

from ....exceptions import EngineError
from ....lib import paths
from ....lib.bulk import commit_later, insert_rows, release_pages
from ....models import Client, Entry, Folder, Job
from ..catalog.folders import FOLDER, ensure_folder, folder_ids_by_hash
from ..storage.manifest import COLUMNS, ManifestWriter
from ..storage.tar_reader import Member
from .workspace import ToStore, Workspace

BATCH = 5_000  # entries of a transaction: few, so that other writers wait briefly
# What is inserted: the columns of a manifest, with IDs of folders instead of a path.
ENTRY = ["job_id", "folder_id", "node_id", "name", *COLUMNS[1:]]
FOLDERS = 900  # in one query; SQLite before 3.32 allows 999 parameters


class CatalogWriter:
    """Writes the entries of a job to the catalog and its manifest, each batch in a transaction.

    They are invisible until the job is good: no other job has it as a source before that. So their
    commits need not wait for the disk, as the one that ends the job does.
    """

    def __init__(self, job: Job, manifest: ManifestWriter):
        self._job_id, self._client = job.pk, job.client
        self._manifest = manifest
        self._rows: list[tuple[Any, ...]] = []
        self._lines: list[tuple[Any, ...]] = []
        self._count = 0

    def add(self, member: Member, place: ToStore) -> None:
        """Add a member of the tar, with what find printed before it was read."""
        path, kind, size, mode, owner, group, mtime_ns, target, sha256, offset, length = member
        folder, name, ctime, inode = place.folder, place.name, place.ctime, place.inode
        # A file may have become a folder since the scan, or a folder a file.
        node = (place.node or ensure_folder(self._client, path)) if kind == "d" else None
        middle = size, mtime_ns, ctime, inode, mode, owner, group
        row = (self._job_id, folder, node, name, kind, *middle, target, sha256, offset, length)
        ends = target.decode("latin-1"), sha256.hex() if sha256 else None, offset, length
        self._add(row, (path.decode("latin-1"), kind, *middle, *ends))

    def add_gone(self, folder: int, folder_path: bytes, name: bytes) -> None:
        """Add the entry of a file or folder that is gone since the last backup."""
        row = (self._job_id, folder, None, name, "-", 0, 0, 0, 0, 0, "", "", b"", None, 0, 0)
        path = paths.join(folder_path, name).decode("latin-1")
        self._add(row, (path, "-", 0, 0, 0, 0, 0, "", "", "", None, 0, 0))

    def _add(self, row: tuple[Any, ...], line: tuple[Any, ...]) -> None:
        self._rows.append(row)
        self._lines.append(line)
        if len(self._rows) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Write the entries that were added since the last flush."""
        with transaction.atomic():
            commit_later()
            insert_rows(Entry, ENTRY, self._rows)
        release_pages()
        self._manifest.add(self._lines)
        self._count += len(self._rows)
        self._rows.clear()
        self._lines.clear()

    def finish(self) -> None:
        """Write the rest; raises EngineError if the database was restarted and has lost entries."""
        self.flush()
        found = Entry.objects.filter(job=self._job_id).count()
        if found != self._count:
            raise EngineError(f"The database has {found} of the backup's {self._count} entries.")


def make_folders(client: Client, workspace: Workspace) -> None:
    """Make all scanned folders in the catalog, and store their IDs in the workspace."""
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
                commit_later()
                insert_rows(Folder, FOLDER, missing)
            found = folder_ids_by_hash(client, hashes)
        workspace.set_folder_ids((found[digest], number) for digest, number in hashes.items())
