"""The parts of volumes that a view consists of: an entry's blocks, and what they must hold.

They are read in pages, between which no query is open: SQLite cannot write during one, not even a
job's progress.
"""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from django.db.models import QuerySet

from ....lib import paths
from ....lib.bulk import batches
from ....models import Entry, Folder
from .view import View

PAGE = 5000  # rows
FEW = 500  # values in one condition; the database searches the index once for each


class Part(NamedTuple):
    """An entry's blocks in the tar of a job."""

    job_id: int
    offset: int
    length: int
    path: bytes
    kind: str
    size: int
    sha256: bytes | None
    target: bytes
    mtime_ns: int


FIELDS = [*Part._fields[:3], "folder__path", "name", *Part._fields[4:]]


def of_view(view: View) -> Iterator[list[Part]]:
    """Yield all of a backup's view, in pages: by job, then in the order of its tar."""
    for source in view.sources:
        for page in view.pages(source, *FIELDS):
            yield [_part(row) for row in page]


def below(view: View, node_ids: Iterable[int]) -> Iterator[list[Part]]:
    """Yield these folders and everything below them in the view, in pages."""
    waiting = array("q", node_ids)
    chosen = set(waiting)
    for few in batches(waiting, FEW):
        yield _parts(view.at(node_id__in=few))
    while waiting:
        few = [waiting.pop() for _ in range(min(FEW, len(waiting)))]
        yield from _pages(view.at(folder_id__in=few))
        deeper = Folder.objects.filter(parent_id__in=few).values_list("pk", flat=True)
        waiting.extend(pk for pk in deeper if pk not in chosen)


def named(view: View, entry_ids: Sequence[int]) -> Iterator[list[Part]]:
    """Yield these entries of the view, in pages."""
    for few in batches(entry_ids, FEW):
        yield _parts(view.at(pk__in=few))


def folders(view: View, chosen: Sequence[bytes]) -> Iterator[list[Part]]:
    """Yield the folders of the view that have these paths, in pages."""
    for few in batches(chosen, FEW):
        hashes = {paths.digest(path) for path in few}
        known = Folder.objects.filter(client=view.job.client_id, path_hash__in=hashes)
        yield _parts(view.at(node_id__in=list(known.values_list("pk", flat=True))))


def of_tar(job_id: int, client_id: int, chosen: Sequence[bytes]) -> Iterator[list[Part]]:
    """Yield what a job itself stored at these paths, visible in its view or not, in pages."""
    for few in batches(chosen, FEW):
        places = {paths.split(path) for path in few}
        hashes = {paths.digest(folder) for folder, _ in places}
        holders = Folder.objects.filter(client=client_id, path_hash__in=hashes)
        found = Entry.objects.filter(
            job_id=job_id,
            folder_id__in=list(holders.values_list("pk", flat=True)),
            name__in={name for _, name in places},
        )
        yield [part for part in _parts(found) if part.path in set(few)]


def _pages(entries: QuerySet[Entry]) -> Iterator[list[Part]]:
    last = 0
    while True:
        rows = list(entries.filter(pk__gt=last).order_by("pk").values_list("pk", *FIELDS)[:PAGE])
        if not rows:
            return
        last = rows[-1][0]
        yield [_part(row[1:]) for row in rows]


def _parts(entries: QuerySet[Entry]) -> list[Part]:
    return [_part(row) for row in entries.values_list(*FIELDS)]


def _part(row: tuple[Any, ...]) -> Part:
    job_id, offset, length, folder, name, *rest = row
    return Part(job_id, offset, length, paths.join(folder, name), *rest)
