"""The search for names in all backups of a client, newest first, as far as its time suffices."""

from collections.abc import Iterator
from time import monotonic

from ....models import Client
from ...history import NameSearch
from ...shared.name_pattern import NamePattern, too_long
from ..catalog import finding, paths
from ..catalog.connection import Reader, TimedOut
from ..catalog.schema import Query
from ..names import Bacula
from .history import Backups, Place

MOST = 1000  # paths that a search finds
CANDIDATES = 20_000  # names, folders and places that are looked at
AT_ONCE = 1_000_000  # files of jobs that one query looks through
SECONDS = 10


def search_names(engine: Bacula, client: Client, text: str, offset: int, limit: int) -> NameSearch:
    """See ``Engine.search_names``."""
    pattern = NamePattern(text)
    search = _Search(pattern, Backups(engine, client))
    found = search.found()
    chosen = sorted(found)[:MOST]
    page = {path: [found[path]] for path in chosen[offset : offset + limit]}
    histories = search.backups.histories(page)
    return NameSearch(
        found=[each for each in histories if each.versions],
        total=len(chosen),
        is_complete=search.is_complete,
    )


class _Search:
    def __init__(self, pattern: NamePattern, backups: Backups) -> None:
        self.pattern, self.backups, self.is_complete = pattern, backups, True
        self._like = {"like": pattern.loose_like.encode()}
        self._end = monotonic() + SECONDS

    def found(self) -> dict[bytes, Place]:
        """Return the places of the paths that match; some may have been deleted in every view."""
        catalog = self.backups.catalog
        wanted = [self._ids(catalog, query) for query in (finding.names, finding.FOLDERS)]
        found: dict[bytes, Place] = {}
        if not any(wanted):
            return found
        values = {"names": wanted[0], "folders": wanted[1], **self._like, "most": CANDIDATES}
        for jobs in self._batches():
            if len(found) > MOST:
                break
            if monotonic() > self._end:
                self.is_complete = False
                break
            try:
                rows = catalog.rows(finding.places, {**values, "jobs": jobs})
            except TimedOut:
                self.is_complete = False
                break
            self._note_limit(rows)
            for path_id, folder, name in rows:
                self._add(found, (path_id, bytes(name)), bytes(folder))
        self.is_complete = self.is_complete and len(found) <= MOST
        return found

    def _add(self, found: dict[bytes, Place], place: Place, folder: bytes) -> None:
        name = place[1]
        path = paths.join(folder, name) if name else paths.of_folder(folder)
        above, _, last = path.rpartition(b"/")
        if self.pattern.matches(_text(above), _text(last)):
            found[path] = place

    def _ids(self, catalog: Reader, query: Query) -> list[int]:
        try:
            rows = catalog.rows(query, {**self._like, "most": CANDIDATES})
        except TimedOut as e:
            raise too_long(catalog.seconds) from e
        self._note_limit(rows)
        return [number for (number,) in rows]

    def _note_limit(self, rows: list[object]) -> None:
        self.is_complete = self.is_complete and len(rows) < CANDIDATES

    def _batches(self) -> Iterator[list[int]]:
        """Yield Bacula's jobs, newest first, so many that a query is quick."""
        sizes = {job.engine_job_id: job.files for job in self.backups.jobs}
        batch: list[int] = []
        size = 0
        for job_id in self.backups.chains.jobs:
            batch.append(job_id)
            size += sizes.get(job_id, 0)
            if size >= AT_ONCE:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch


def _text(name: bytes) -> str:
    return name.decode(errors="surrogateescape")
