"""Finding thousands of paths or IDs of a view in few queries."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from django.db import connection

from ....exceptions import NotFound
from ....lib import paths
from ....lib.bulk import batches
from ....lib.paths import shown
from ....models import Entry, Folder
from ...values import Selection
from .view import DIRECTORY, View, is_id

T = TypeVar("T")
Place = tuple[int, int | None, str]  # ID, node ID and kind of an entry
Row = tuple[int, bytes, int, int | None, str]  # folder ID, name, and place
# For each chosen path: the newest source with an entry for it, then its row.
PLACES = """
WITH chosen (folder_id, name) AS (VALUES {places})
SELECT entry.folder_id, entry.name, entry.id, entry.node_id, entry.kind
FROM chosen CROSS JOIN {entries} entry
WHERE entry.folder_id = chosen.folder_id AND entry.name = chosen.name AND entry.job_id = (
    SELECT newest.job_id FROM {entries} newest
    WHERE newest.folder_id = chosen.folder_id AND newest.name = chosen.name
        AND newest.job_id + 0 IN ({sources})
    ORDER BY newest.job_id DESC LIMIT 1
) AND entry.kind <> '-'
"""


def select_paths(view: View, requested: Sequence[bytes]) -> Selection:
    """Return the entries at these paths; raises NotFound naming the first that is missing."""
    asked = {paths.normal(path): path for path in requested}
    found: dict[bytes, Place] = {}
    for batch in batches(asked):
        found.update(places(view, batch))
    for path, as_asked in asked.items():
        if path not in found:
            raise NotFound(f"Backup {view.job.pk} does not contain '{shown(as_asked)}'.")
    return _selection((path, *found[path]) for path in asked)


def select_ids(view: View, nodes: Sequence[int], files: Sequence[int]) -> Selection:
    """Return the entries with these IDs; raises NotFound naming the first that is missing."""
    folders: dict[int, bytes | None] = dict.fromkeys(nodes)
    entries: dict[int, tuple[Any, ...] | None] = dict.fromkeys(files)
    for batch in batches(filter(is_id, nodes)):
        found = view.at(node__in=batch, kind=DIRECTORY)
        folders.update(found.values_list("node_id", "node__path"))
    for batch in batches(filter(is_id, files)):
        rows = view.at(pk__in=batch).values_list("pk", "node_id", "kind", "folder__path", "name")
        entries.update((row[0], row) for row in rows)
    paths_of_nodes = _require(view, "folder", folders)
    chosen = _selection(
        (paths.join(folder, name), entry_id, node_id, kind)
        for entry_id, node_id, kind, folder, name in _require(view, "file", entries).values()
    )
    return Selection(nodes=list((paths_of_nodes | dict(chosen.nodes)).items()), files=chosen.files)


def places(view: View, chosen: Sequence[bytes]) -> dict[bytes, Place]:
    """Return the entries of a view at these paths, by path."""
    split = {path: paths.split(path) for path in chosen}
    folders = dict(
        Folder.objects.filter(
            client=view.job.client_id,
            path_hash__in={paths.digest(folder) for folder, _ in split.values()},
        ).values_list("path", "pk")
    )
    keys = {
        (folders[folder], name): path for path, (folder, name) in split.items() if folder in folders
    }
    return {keys[row[:2]]: row[2:] for row in _rows(view, list(keys))}


def _rows(view: View, places: Sequence[tuple[int, bytes]]) -> Iterator[Row]:
    if not (places and view.sources):
        return
    sql = PLACES.format(
        places=", ".join(["(%s, %s)"] * len(places)),
        sources=", ".join(["%s"] * len(view.sources)),
        entries=connection.ops.quote_name(Entry._meta.db_table),
    )
    parameters = [value for place in places for value in place]
    with connection.cursor() as cursor:
        cursor.execute(sql, [*parameters, *view.sources])
        for folder, name, entry_id, node_id, kind in cursor.fetchall():
            yield folder, bytes(name), entry_id, node_id, kind


def _selection(rows: Iterable[tuple[bytes, int, Any, str]]) -> Selection:
    nodes, files = [], []
    for path, entry_id, node_id, kind in rows:
        if kind == DIRECTORY:
            nodes.append((node_id, path))
        else:
            files.append((entry_id, path))
    return Selection(nodes=nodes, files=files)


def _require(view: View, kind: str, found: Mapping[int, T | None]) -> dict[int, T]:
    """Return the rows by their IDs; raises NotFound for the first that is missing."""
    complete: dict[int, T] = {}
    for pk, row in found.items():
        if row is None:
            raise NotFound(f"Backup {view.job.pk} has no {kind} with ID {pk}.")
        complete[pk] = row
    return complete
