"""Finding what is to be restored: thousands of paths or IDs of a view in few queries."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from ....exceptions import NotFound
from ....lib.paths import ROOT, normal, shown, split
from ...values import Selection
from ..catalog import paths, queries
from ..catalog.records import MAX_FILE_ID, is_id
from .view import Folder, View


def select_paths(view: View, wanted: Sequence[bytes]) -> Selection:
    """Return the entries at these paths; raises NotFound naming the first that is missing."""
    asked = {normal(path): path for path in wanted}
    folders = _folders_at(view, asked)
    files = files_at(view, [path for path in asked if path not in folders])
    for path, as_asked in asked.items():
        if path not in folders and path not in files:
            raise NotFound(f"Backup {view.job.pk} does not contain '{shown(as_asked)}'.")
    chosen = [folders[path] for path in asked if path in folders]
    return Selection(
        nodes=list(_nodes(view, chosen)),
        files=list(dict.fromkeys(files[path] for path in asked if path in files)),
    )


def select_ids(view: View, nodes: Sequence[int], files: Sequence[int]) -> Selection:
    """Return the entries with these IDs; raises NotFound naming the first that is missing."""
    known = _folders_with(view, nodes)
    rows = _files_with(view, files)
    _require(view, "folder", nodes, known)
    _require(view, "file", files, rows)
    chosen = [known[node_id] for node_id in dict.fromkeys(nodes)]
    found = [rows[file_id] for file_id in dict.fromkeys(files)]
    chosen += [Folder(path_id, stored) for _, path_id, stored, name in found if not name]
    return Selection(
        nodes=list(_nodes(view, chosen)),
        files=[(file_id, paths.join(stored, name)) for file_id, _, stored, name in found if name],
    )


def files_at(view: View, wanted: Iterable[bytes]) -> dict[bytes, tuple[int, bytes]]:
    """Return by path the FileIds and paths of anything but folders at these normal paths."""
    places = {path: split(path) for path in wanted if path != ROOT}
    folders = {stored for folder, _ in places.values() for stored in paths.stored(folder)}
    folder_ids = _folder_ids(view, folders)
    candidates = [
        (path, paths.join(stored, name), (folder_ids[stored], name))
        for path, (folder, name) in places.items()
        for stored in paths.stored(folder)
        if stored in folder_ids
    ]
    rows = _rows_at(view, {place for _, _, place in candidates})
    file_ids = {(path_id, bytes(name)): file_id for path_id, name, file_id in rows}
    found: dict[bytes, tuple[int, bytes]] = {}
    for path, as_stored, place in candidates:
        if place in file_ids:
            found.setdefault(path, (file_ids[place], as_stored))
    return found


def _folder_ids(view: View, folders: Iterable[bytes]) -> dict[bytes, int]:
    wanted = list(folders)
    return dict(view.rows(queries.PATH_IDS, values=wanted)) if wanted else {}


def _rows_at(view: View, places: Iterable[tuple[int, bytes]]) -> list[Any]:
    if not places:
        return []
    folders, names = zip(*places, strict=True)
    return view.rows(queries.places, folders=list(folders), names=list(names))


def _folders_at(view: View, wanted: Iterable[bytes]) -> dict[bytes, Folder]:
    """Return by path the folders that have these normal paths."""
    candidates = [(path, stored) for path in wanted for stored in paths.stored(path)]
    asked = {stored for _, stored in candidates}
    rows = view.folders(queries.BY_PATH, paths=list(asked)) if asked else []
    there = {folder.stored: folder for folder, _ in rows}
    found: dict[bytes, Folder] = {}
    for path, stored in candidates:
        if stored in there:
            found.setdefault(path, there[stored])
    return found


def _folders_with(view: View, nodes: Sequence[int]) -> dict[int, Folder]:
    wanted = [node_id for node_id in nodes if is_id(node_id)]
    rows = view.folders(queries.BY_ID, nodes=wanted) if wanted else []
    return {folder.path_id: folder for folder, _ in rows}


def _files_with(view: View, files: Sequence[int]) -> dict[int, Any]:
    """Return (FileId, PathId, folder, name) of the rows that count, by their FileIds."""
    wanted = [file_id for file_id in files if is_id(file_id, MAX_FILE_ID)]
    rows = view.rows(queries.files_by_id, files=wanted) if wanted else []
    return {row[0]: row for row in rows}


def _nodes(view: View, folders: Iterable[Folder]) -> Iterator[tuple[int, bytes]]:
    """Yield folders that Bacula can restore: instead of the root all that lies in it."""
    for folder in dict.fromkeys(folders):
        if folder.stored == paths.TOP:
            within = {"within": [folder.path_id], "limit": None, "offset": 0}
            for path_id, stored, *_ in view.rows(queries.subfolders, **within):
                yield path_id, paths.of_folder(stored)
        else:
            yield folder.path_id, folder.path


def _require(view: View, kind: str, wanted: Sequence[int], found: Collection[int]) -> None:
    for number in wanted:
        if number not in found:
            raise NotFound(f"Backup {view.job.pk} has no {kind} with ID {number}.")
