"""The folders of a client in the catalog, found or made by path."""

from collections.abc import Collection, Iterable, Iterator

from django.db import connection, transaction

from ....lib import paths
from ....lib.bulk import batches, insert_rows, quoted
from ....models import Client, Entry, Folder, FolderNames

FOLDER = "client_id parent_id name path path_hash".split()


def make_folders(client: Client, found: set[bytes]) -> None:
    """Make those of these folders, and of those above them, that the catalog lacks."""
    every = found | {above for path in found for above in paths.ancestors(path)}
    known = folder_ids(client, every)
    depths: dict[int, list[bytes]] = {}
    for path in every - known.keys():
        depths.setdefault(path.rstrip(b"/").count(b"/"), []).append(path)
    for depth in sorted(depths):
        rows = [
            (client.pk, known.get(above) if name else None, name, path, paths.digest(path))
            for path in depths[depth]
            for above, name in [paths.split(path)]
        ]
        with transaction.atomic():
            insert_rows(Folder, FOLDER, rows)
        known |= folder_ids(client, depths[depth])


def folder_ids(client: Client, each: Iterable[bytes]) -> dict[bytes, int]:
    """Return the IDs of those of these folders that the catalog has, by path."""
    by_hash = {paths.digest(path): path for path in each}
    found: dict[bytes, int] = {}
    for batch in batches(by_hash):
        rows = folder_ids_by_hash(client, batch)
        found.update((by_hash[digest], pk) for digest, pk in rows.items())
    return found


def folder_ids_by_hash(client: Client, hashes: Iterable[bytes]) -> dict[bytes, int]:
    """Return the IDs of a client's folders by the hash of their paths."""
    found = Folder.objects.filter(client=client, path_hash__in=list(hashes))
    return dict(found.values_list("path_hash", "pk"))


def ensure_folder(client: Client, path: bytes) -> int:
    """Return the ID of a folder, which is made with its parents if the catalog lacks it."""
    if known := folder_ids_by_hash(client, [paths.digest(path)]):
        return next(iter(known.values()))
    folder, name = paths.split(path)
    parent = None if path == paths.ROOT else ensure_folder(client, folder)
    values = {"parent_id": parent, "name": name, "path": path}
    return Folder.objects.get_or_create(
        client=client, path_hash=paths.digest(path), defaults=values
    )[0].pk


def folders_below(client: Client, path: bytes) -> Iterator[int]:
    """Yield the IDs of a folder and of all below it."""
    start = path.rstrip(b"/") + b"/"
    below = Folder.objects.filter(client=client, path__gte=start, path__lt=start[:-1] + b"0")
    yield from below.values_list("pk", flat=True)
    yield from folder_ids_by_hash(client, [paths.digest(path)]).values()


def folder_paths(ids: Collection[int]) -> dict[int, bytes]:
    """Return the paths of folders by their IDs."""
    return dict(Folder.objects.filter(pk__in=ids).values_list("pk", "path"))


def delete_unused_folders(client: Client) -> None:
    """Delete the folders of a client that no entry refers to."""
    folder, entry = quoted(Folder, [])[0], quoted(Entry, [])[0]
    unused = (
        f" FROM {folder} WHERE client_id = %s"  # noqa: S608
        f" AND NOT EXISTS (SELECT 1 FROM {entry} e WHERE e.node_id = {folder}.id)"
        f" AND NOT EXISTS (SELECT 1 FROM {entry} e WHERE e.folder_id = {folder}.id)"
    )
    names = quoted(FolderNames, [])[0]
    with transaction.atomic(), connection.cursor() as cursor:
        # A folder that has just got names has entries: no backup of the client runs meanwhile.
        cursor.execute(
            f"DELETE FROM {names} WHERE folder_id IN (SELECT id{unused})",  # noqa: S608
            (client.pk,),
        )
        cursor.execute(f"DELETE{unused}", (client.pk,))
