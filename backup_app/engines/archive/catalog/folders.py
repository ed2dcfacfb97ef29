"""Folders of the catalog, found or made by their paths."""

from collections.abc import Iterable, Iterator

from django.db import transaction

from ....lib.bulk import batches, insert_rows
from ....models import Client, Folder
from .. import paths
from ..backup import catalog_writer


def give_folders(client: Client, wanted: set[bytes]) -> None:
    """See to it that a client has these folders, and those above them."""
    wanted = wanted | {above for path in wanted for above in _above(path)}
    known = folder_ids(client, wanted)
    depths: dict[int, list[bytes]] = {}
    for path in wanted - known.keys():
        depths.setdefault(path.rstrip(b"/").count(b"/"), []).append(path)
    for depth in sorted(depths):
        rows = [
            (client.pk, known.get(above) if name else None, name, path, paths.digest(path))
            for path in depths[depth]
            for above, name in [paths.split(path)]
        ]
        with transaction.atomic():
            insert_rows(Folder, catalog_writer.FOLDER, rows)
        known |= folder_ids(client, depths[depth])


def folder_ids(client: Client, wanted: Iterable[bytes]) -> dict[bytes, int]:
    """Return the IDs of those of these folders that a client has, by path."""
    by_hash = {paths.digest(path): path for path in wanted}
    found: dict[bytes, int] = {}
    for batch in batches(by_hash):
        rows = catalog_writer.folder_ids(client, batch)
        found.update((by_hash[digest], pk) for digest, pk in rows.items())
    return found


def _above(path: bytes) -> Iterator[bytes]:
    while path != paths.ROOT:
        path = paths.split(path)[0]
        yield path
