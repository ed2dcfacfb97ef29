"""Finding what is to be restored: thousands of paths or IDs of a view in few queries."""

from collections.abc import Iterable, Iterator, Sequence

from django.db import connection

from ....exceptions import NotFound
from ....lib.bulk import batches
from ....models import Entry, Folder
from ...base import Selection
from .. import paths
from .view import DIRECTORY, View, is_id

# In turn for each wanted place: the newest source that says something of it, then its row.
PLACES = """
WITH wanted (folder_id, name) AS (VALUES {places})
SELECT entry.folder_id, entry.name, entry.id, entry.node_id, entry.kind
FROM wanted CROSS JOIN {entries} entry
WHERE entry.folder_id = wanted.folder_id AND entry.name = wanted.name AND entry.job_id = (
    SELECT newest.job_id FROM {entries} newest
    WHERE newest.folder_id = wanted.folder_id AND newest.name = wanted.name
        AND newest.job_id + 0 IN ({sources})
    ORDER BY newest.job_id DESC LIMIT 1
) AND entry.kind <> '-'
"""


def select_paths(view: View, wanted: Sequence[bytes]) -> Selection:
    """Return what has these paths in a view; raises NotFound naming one that has not."""
    asked = {paths.normal(path): path for path in wanted}
    found = {}
    for batch in batches(asked):
        found.update(places(view, batch))
    for path, as_asked in asked.items():
        if path not in found:
            raise NotFound(f"Backup {view.job.pk} does not contain '{paths.shown(as_asked)}'.")
    return _selection((path, *found[path]) for path in asked)


def select_ids(view: View, nodes: Sequence[int], files: Sequence[int]) -> Selection:
    """Return what has these IDs in a view; raises NotFound naming the first that has not."""
    folders, entries = dict.fromkeys(nodes), dict.fromkeys(files)
    for batch in batches(filter(is_id, nodes)):
        rows = view.at(node__in=batch, kind=DIRECTORY)
        folders.update(rows.values_list("node_id", "node__path"))
    for batch in batches(filter(is_id, files)):
        rows = view.at(pk__in=batch).values_list("pk", "node_id", "kind", "folder__path", "name")
        entries.update((row[0], row) for row in rows)
    _require(view, "folder", folders)
    _require(view, "file", entries)
    chosen = _selection(
        (paths.join(folder, name), entry_id, node_id, kind)
        for entry_id, node_id, kind, folder, name in entries.values()
    )
    nodes_found = {**folders, **dict(chosen.nodes)}
    return Selection(nodes=list(nodes_found.items()), files=chosen.files)


def places(view: View, wanted: Sequence[bytes]) -> dict[bytes, tuple]:
    """Return ID, node ID and kind of the entries of a view that have these paths, by path."""
    split = {path: paths.split(path) for path in wanted}
    folders = dict(
        Folder.objects.filter(
            client=view.job.client_id,
            path_hash__in={paths.digest(folder) for folder, _ in split.values()},
        ).values_list("path", "pk")
    )
    keys = {
        (folders[folder], name): path for path, (folder, name) in split.items() if folder in folders
    }
    return {keys[folder, name]: row for folder, name, *row in _rows(view, list(keys))}


def _rows(view: View, places: Sequence[tuple[int, bytes]]) -> Iterator[tuple]:
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
        for folder, name, *row in cursor.fetchall():
            yield (folder, bytes(name), *row)


def _selection(rows: Iterable[tuple]) -> Selection:
    nodes, files = [], []
    for path, entry_id, node_id, kind in rows:
        if kind == DIRECTORY:
            nodes.append((node_id, path))
        else:
            files.append((entry_id, path))
    return Selection(nodes=nodes, files=files)


def _require(view: View, kind: str, found: dict[int, object]) -> None:
    for wanted, row in found.items():
        if row is None:
            raise NotFound(f"Backup {view.job.pk} has no {kind} with ID {wanted}.")
