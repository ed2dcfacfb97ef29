"""The view of a backup: its own files and those of the backups that it builds on."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ....exceptions import NotFound, WrongState
from ....lib.paths import normal, shown
from ....models import Job
from ...values import File, Listing, Node
from ..catalog import paths, queries
from ..catalog.lstat import DIRECTORY, FILE, Status, decoded, sha256
from ..catalog.records import is_id
from ..catalog.schema import Query
from ..names import Bacula

FULL = "F"  # a level
BATCH = 20_000  # files examined in one query
NO_FOLDER = Status(DIRECTORY, 0, 0, 0, "", "")  # of a folder without a row of its own


@dataclass(frozen=True)
class Folder:
    """A folder of a view, with its path as the catalog has it."""

    path_id: int
    stored: bytes

    @property
    def path(self) -> bytes:
        return paths.of_folder(self.stored)


class View:
    """All that a full restore of a good backup gives.

    For each name in a folder the row of the chain's newest job counts, unless it marks a deletion.
    Raises WrongState for anything but a good backup and for one whose files the catalog no longer
    has, EngineUnreachable, and EngineError.
    """

    def __init__(self, engine: Bacula, job: Job) -> None:
        if not job.is_good or job.type != job.Type.BACKUP:
            raise WrongState(f"Job {job.pk} is {job.status}: it is not a backup that can be read.")
        self.engine, self.job = engine, job
        self._catalog = engine.reader()

    @cached_property
    def chain(self) -> list[int]:
        """JobIds of the jobs whose files count, oldest first."""
        return [job_id for job_id, _ in self._levels]

    def rows(self, query: Query, **values: Any) -> list[Any]:
        """Return rows of the catalog, for a query that knows the chain."""
        return self._catalog.rows(query, {"chain": self.chain, **values})

    def folders(self, which: str, **values: Any) -> list[tuple[Folder, int | None]]:
        """Return the folders that there are of those asked for, with their own FileIds."""
        found = self.rows(queries.folders(which), **values)
        return [(Folder(path_id, stored), file_id) for path_id, stored, file_id in found]

    def folder(self, path: bytes) -> Folder:
        """Return the folder with a path; raises NotFound unless the view has it."""
        wanted = paths.stored(normal(path))
        found = {f.stored: f for f, _ in self.folders(queries.BY_PATH, paths=list(wanted))}
        if not found:
            raise NotFound(f"Backup {self.job.pk} has no folder '{shown(path)}'.")
        return next(found[stored] for stored in wanted if stored in found)

    def node(self, node_id: int) -> Folder:
        """Return the folder with an ID; raises NotFound unless the view has it."""
        found = self.folders(queries.BY_ID, nodes=[node_id]) if is_id(node_id) else []
        if not found:
            raise NotFound(f"Backup {self.job.pk} has no folder with ID {node_id}.")
        return found[0][0]

    def listing(self, path: bytes, offset: int = 0, limit: int | None = None) -> Listing:
        """Return a page of one level: folders first, then by the bytes of the names."""
        folder = self.folder(path)
        within = self.within(folder)
        folders, total = self._page(queries.subfolders, within, offset, limit)
        rest = None if limit is None else limit - len(folders)
        files, count = self._files(within, max(0, offset - total), rest)
        found = [_directory(folder, *row) for row in folders]
        found += [as_file(folder, *row) for row in files]
        return Listing(folder.path_id, folder.path, found, total + count)

    def subfolders(self, folder: Folder) -> Sequence[Node]:
        """Return the folders directly in a folder, by name, with what lies directly in them."""
        rows, _ = self._page(queries.subfolders, self.within(folder))
        counts = self.rows(queries.counts, within=[row[0] for row in rows]) if rows else []
        counted = {path_id: values for path_id, *values in counts}
        return [_node(*row, *counted[row[0]]) for row in rows]

    def within(self, folder: Folder) -> list[int]:
        """Return the PathIds that a folder has: the root has two."""
        if folder.stored not in paths.TOPS:
            return [folder.path_id]
        found = self.folders(queries.BY_PATH, paths=list(paths.TOPS))
        return [top.path_id for top, _ in found]

    @cached_property
    def _levels(self) -> list[tuple[int, str]]:
        links = self.job.source_links.values_list("source__engine_job_id", flat=True)
        jobs = [job_id for job_id in links if job_id]
        found = self._catalog.rows(queries.CHAIN, {"jobs": jobs})
        if not found or len(found) < len(jobs) or any(purged for _, _, purged, *_ in found):
            raise WrongState(
                f"The files of backup {self.job.pk} are no longer all in Bacula's catalog:"
                " it cannot be read."
            )
        if any(has_base for *_, has_base, _ in found):
            raise WrongState(
                f"Backup {self.job.pk} depends on a base job of Bacula, which is not supported:"
                " it cannot be read."
            )
        update_cache(self.engine, [job_id for job_id, *_, is_cached in found if not is_cached])
        return [(job_id, level) for job_id, level, *_ in found]

    def _page(
        self, query: Query, within: list[int], offset: int = 0, limit: int | None = None
    ) -> tuple[list[Any], int]:
        """Return a page of a folder's content, and its total length."""
        has_full = self._levels[0][1] == FULL
        values = {"full": self.chain[:has_full], "later": self.chain[has_full:], "within": within}
        rows = self.rows(query, **values, offset=offset, limit=limit)
        counted = rows or ((offset or limit == 0) and self.rows(query, **values, offset=0, limit=1))
        return [row[:-1] for row in rows], counted[0][-1] if counted else 0

    def _files(self, within: list[int], offset: int, limit: int | None) -> tuple[list[Any], int]:
        """Return (name, FileId, LStat, signature) of a page of files, and how many there are."""
        if limit is None:
            rows = self.rows(queries.files, within=within)
            return rows[offset:], len(rows)
        # Only the names are read of all files, to sort them; the rest only of the page.
        page, count = self._page(queries.names, within, offset, limit)
        names = [name for (name,) in page]
        rows = self.rows(queries.named_files, within=within, names=names) if names else []
        found = {bytes(row[0]): row for row in rows}
        return [found[bytes(name)] for name in names], count


def update_cache(engine: Bacula, job_ids: list[int]) -> None:
    """Have the Director find the folders above what jobs stored, which it does once for each."""
    if job_ids:
        with engine.director() as director:
            director.update_cache(job_ids)


def as_file(folder: Folder, name: bytes, file_id: int, lstat: bytes, signature: bytes) -> File:
    """Return anything but a folder as a value of the engine."""
    path = paths.join(folder.stored, name)
    status = decoded(lstat)
    return File(file_id, None, folder.path_id, name, path, *status, b"", sha256(signature))


def _directory(
    folder: Folder, path_id: int, stored: bytes, file_id: int | None, lstat: bytes | None
) -> File:
    """Return a folder as a value of the engine; its FileId is 0 if it has none."""
    name, path = paths.name_of(stored), paths.of_folder(stored)
    status = decoded(lstat) if lstat else NO_FOLDER
    return File(file_id or 0, path_id, folder.path_id, name, path, *status, b"", None)


def _node(
    path_id: int,
    stored: bytes,
    file_id: int | None,
    lstat: bytes | None,
    files: int,
    size: int,
    has_children: bool,
) -> Node:
    return Node(
        node_id=path_id,
        name=paths.name_of(stored),
        path=paths.of_folder(stored),
        size=int(size),
        files=files,
        mtime=decoded(lstat).mtime if lstat else 0,
        has_children=has_children,
    )


def files_ending(engine: Bacula, job: Job, endings: Sequence[bytes]) -> Iterator[File]:
    """Yield the files that a job itself stored whose names end so; letters count in both cases.

    The names of all others stay in the database, and no query goes through a whole job.
    """
    catalog = engine.reader()
    values = {"job": job.engine_job_id, "endings": [ending.lower() for ending in endings]}
    start: dict[str, Any] = {"path": 0, "name": catalog.schema.first}
    while steps := catalog.rows(queries.step, {**values, **start, "count": BATCH}):
        ((last_path, last_name),) = steps
        end = {"last_path": last_path, "last_name": last_name}
        for path_id, stored, *row in catalog.rows(queries.ending, {**values, **start, **end}):
            file = as_file(Folder(path_id, stored), *row)
            if file.type == FILE:
                yield file
        start = {"path": last_path, "name": last_name}
