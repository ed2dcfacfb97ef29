"""Filling the catalog while a backup is at work, and emptying it of what did not succeed."""

from collections.abc import Iterator

from django.db import connection, transaction

from ....lib.bulk import insert_rows, quoted
from ....models import Client, Entry, Folder, Job
from .. import paths
from ..storage.manifest import ManifestWriter
from ..storage.tar_reader import Member
from .workspace import ToStore, Workspace

BATCH = 5_000
FOLDERS = 900  # in one query; SQLite takes no more than 999 values by the book
ENTRY = (
    "job_id folder_id node_id name kind size mtime_ns ctime_ns inode mode owner group target"
    " sha256 offset length"
).split()
FOLDER = "client_id parent_id name path path_hash".split()


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
        found = folder_ids(client, hashes)
        missing = [
            (client.pk, parent, name, path, digest)
            for (_, name, path, parent), digest in zip(rows, hashes, strict=True)
            if digest not in found
        ]
        if missing:
            with transaction.atomic():
                insert_rows(Folder, FOLDER, missing)
            found = folder_ids(client, hashes)
        workspace.give_folders((found[digest], number) for digest, number in hashes.items())


def ensure_folder(client: Client, path: bytes) -> int:
    """Return the ID of a folder that was not listed, made with its parents if needed."""
    if known := folder_ids(client, [paths.digest(path)]):
        return next(iter(known.values()))
    folder, name = paths.split(path)
    parent = None if path == paths.ROOT else ensure_folder(client, folder)
    values = {"parent_id": parent, "name": name, "path": path}
    return Folder.objects.get_or_create(
        client=client, path_hash=paths.digest(path), defaults=values
    )[0].pk


def folder_ids(client: Client, hashes) -> dict[bytes, int]:
    """Return the IDs of a client's folders by the hash of their paths."""
    found = Folder.objects.filter(client=client, path_hash__in=list(hashes))
    return dict(found.values_list("path_hash", "pk"))


def folders_below(client: Client, path: bytes) -> Iterator[int]:
    """Yield the IDs of a folder and of all below it."""
    start = path.rstrip(b"/") + b"/"
    below = Folder.objects.filter(client=client, path__gte=start, path__lt=start[:-1] + b"0")
    yield from below.values_list("pk", flat=True)
    yield from folder_ids(client, [paths.digest(path)]).values()


def folder_paths(ids: list[int]) -> dict[int, bytes]:
    """Return the paths of folders by their IDs."""
    return dict(Folder.objects.filter(pk__in=ids).values_list("pk", "path"))


def delete_entries(job: Job, count: int = 20_000) -> None:
    """Delete the entries of a job, so many at once that others can write in between."""
    while ids := list(
        Entry.objects.filter(job=job).order_by("id").values_list("pk", flat=True)[:count]
    ):
        Entry.objects.filter(job=job, pk__lte=ids[-1]).delete()


def delete_unused_folders(client: Client) -> None:
    """Delete the folders of a client that no entry is about any more."""
    folder, entry = quoted(Folder, [])[0], quoted(Entry, [])[0]
    query = (
        f"DELETE FROM {folder} WHERE client_id = %s"  # noqa: S608
        f" AND NOT EXISTS (SELECT 1 FROM {entry} e WHERE e.node_id = {folder}.id)"
        f" AND NOT EXISTS (SELECT 1 FROM {entry} e WHERE e.folder_id = {folder}.id)"
    )
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(query, (client.pk,))
