"""The versions of files over all backups of a client."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ....lib.paths import normal, split
from ....models import Client, Job
from ...history import History
from ...shared.versions import history_of
from ...values import File
from ..catalog import finding, paths, queries
from ..catalog.lstat import Status, decoded, sha256
from ..names import Bacula
from .chains import Chains

Place = tuple[int, bytes]  # a folder's PathId and a name in it, b"" for the folder itself


@dataclass(frozen=True)
class Row:
    """A row of the catalog: what one of Bacula's jobs has at a place."""

    place: Place
    file_id: int
    index: int  # below 1 if it was deleted
    lstat: bytes
    signature: bytes

    @cached_property
    def status(self) -> Status:
        return decoded(self.lstat)

    def is_same(self, other: "Row") -> bool:
        """Return whether two versions are the same, as far as the catalog can tell."""
        if self.file_id == other.file_id:
            return True
        # Those of another length are of another algorithm.
        is_comparable = len(self.signature) == len(other.signature)
        content = not is_comparable or self.signature == other.signature
        return content and self.status == other.status

    def as_file(self, path: bytes, parent: int) -> File:
        """Return it as a value of the engine, in a folder with this PathId."""
        path_id, name = self.place
        node = None if name else path_id
        digest = sha256(self.signature) if name else None
        name = name or paths.name_of(path)
        return File(self.file_id, node, parent, name, path, *self.status, b"", digest)


class Backups:
    """The readable backups of a client, newest first."""

    def __init__(self, engine: Bacula, client: Client) -> None:
        self.catalog = engine.reader()
        backups = client.jobs.good().backups().filter(engine=engine.alias)
        backups = backups.filter(engine_job_id__isnull=False)
        self.chains = Chains(engine, backups)
        newest = backups.order_by("-engine_job_id").defer("report", "request", "engine_state")
        self.jobs: Sequence[Job] = [job for job in newest if self.chains.is_readable(job.pk)]

    def histories(self, wanted: Mapping[bytes, Sequence[Place]]) -> Iterator[History]:
        """Yield the history of each of these paths, each of which may be at several places."""
        places = {place for each in wanted.values() for place in each}
        rows = self._rows(places) if places and self.jobs else {}
        parents = self._parents(wanted)
        for path, each in wanted.items():
            yield history_of(
                path,
                self.jobs,
                self._there([rows[place] for place in each if place in rows]),
                as_file=lambda row, path=path: row.as_file(path, parents.get(path, 0)),  # type: ignore[misc]
                is_same=Row.is_same,
            )

    def _rows(self, places: Iterable[Place]) -> dict[Place, dict[int, Row]]:
        folders, names = zip(*places, strict=True)
        values = {"folders": list(folders), "names": list(names), "jobs": self.chains.jobs}
        found: dict[Place, dict[int, Row]] = defaultdict(dict)
        for job_id, path_id, name, *row in self.catalog.rows(finding.rows, values):
            place = path_id, bytes(name)
            found[place][job_id] = Row(place, *row)
        return found

    def _there(self, places: Sequence[Mapping[int, Row]]) -> dict[int, Row]:
        """Return what each backup has at one of some places, by primary keys."""
        there = {}
        for job in self.jobs:
            newest = [self.chains.newest(job.pk, rows) for rows in places]
            found = [row for row in newest if row and row.index > 0]
            if found:
                there[job.pk] = max(found, key=lambda row: row.file_id)
        return there

    def _parents(self, wanted: Iterable[bytes]) -> dict[bytes, int]:
        """Return the PathIds of the folders above paths, as far as they are known."""
        above = {path: paths.stored(split(path)[0]) for path in wanted}
        values = list({stored for each in above.values() for stored in each})
        ids = dict(self.catalog.rows(queries.PATH_IDS, {"values": values})) if values else {}
        known = {bytes(stored): path_id for stored, path_id in ids.items()}
        return {path: known[s] for path, each in above.items() for s in each if s in known}


def history(engine: Bacula, client: Client, path: bytes) -> History:
    """See ``Engine.history``."""
    path = normal(path)
    folder, name = split(path)
    as_folder = dict.fromkeys(paths.stored(path), b"")
    as_file = dict.fromkeys(paths.stored(folder), name) if name else {}
    backups = Backups(engine, client)
    values = {"values": [*as_folder, *as_file]}
    found = backups.catalog.rows(queries.PATH_IDS, values)
    places = [
        (path_id, names[bytes(stored)])
        for stored, path_id in found
        for names in (as_folder, as_file)
        if bytes(stored) in names
    ]
    return next(backups.histories({path: places}))
