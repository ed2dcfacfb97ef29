"""The plan of a restore: which parts of which volumes are read, and where each of them goes."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from ....exceptions import NotFound
from ....lib.paths import ancestors, is_in_any
from ...values import Selection, Tick, no_tick
from ..catalog import extents as parts
from ..catalog.extents import Part
from ..catalog.view import View
from ..integrity.part_table import SELECTED, PartTable

# The roles of parts. If a part has two, the smaller one applies.
PLACED = SELECTED
PASSED = 1  # folders above the selected ones, whose metadata is restored only where they are new
HELPING = 2  # targets of selected hard links, unpacked for these and then removed
LEFT = 3  # selected, but what is in their place stays
ALL_PARTS = f"SELECT {', '.join(Part._fields)} FROM part ORDER BY job_id, offset"  # noqa: S608
BY_PATH = """SELECT path, kind, size, mtime_ns, min(role) FROM part WHERE path > ? AND role <> ?
    GROUP BY path ORDER BY path LIMIT 5000"""
# The range of paths below a part that is not a folder; "0" follows "/" in ASCII.
MISPLACING = f"""
SELECT start, end FROM (
    SELECT CAST(path || '/' AS BLOB) AS start, CAST(path || '0' AS BLOB) AS end FROM part
    WHERE kind <> 'd' AND role <> {HELPING}
) WHERE EXISTS (
    SELECT 1 FROM part b WHERE b.path > start AND b.path < end AND b.role <> {HELPING}
)"""  # noqa: S608


class Segment(NamedTuple):
    """A piece of the tar of a job: whole members."""

    job_id: int
    offset: int
    length: int


class RestorePlan(PartTable):
    """The parts that a selection of a view needs; ``passed`` are the folders above them."""

    def __init__(self, path: Path | None = None):
        super().__init__(path)
        self.passed: set[bytes] = set()

    def fill(self, view: View, selection: Selection, tick: Tick = no_tick) -> None:
        """Read the parts from the catalog; raises NotFound if there are none."""
        for page in _selected(view, selection):
            tick()
            self.add(page)
        self.passed = folders_above(selection)
        for page in parts.folders(view, sorted(self.passed)):
            tick()
            self.add(page, PASSED)
        self._add_targets(view, tick)
        if not self.count():
            raise NotFound(f"Backup {view.job.pk} contains nothing of the selection.")

    def count(self) -> int:
        """Return how many entries are to be placed."""
        return int(self._one("SELECT count(*) FROM part WHERE role = ?", PLACED))

    def size(self) -> int:
        """Return how many bytes all files have together."""
        return int(self._one("SELECT total(size) FROM part"))

    def parts(self) -> Iterator[Part]:
        """Yield all parts, by job, then in the order of its tar."""
        return map(Part._make, self._rows.execute(ALL_PARTS))

    def segments(self) -> Iterator[Segment]:
        """Yield the pieces of volumes to read, neighbours as one, in the same order."""
        return coalesced(part[:3] for part in self.parts())

    def sources(self) -> list[int]:
        """Return the IDs of the jobs whose volumes are read."""
        rows = self._rows.execute("SELECT DISTINCT job_id FROM part ORDER BY job_id")
        return [job_id for (job_id,) in rows]

    def remove(self, condition: Callable[[bytes, str], bool]) -> int:
        """Remove parts for whose path and kind a condition holds; return how many."""
        self._rows.create_function("excluded", 2, condition, deterministic=True)
        return self._rows.execute("DELETE FROM part WHERE excluded(path, kind)").rowcount

    def remove_misplaced(self, tell: Callable[[bytes], None]) -> None:
        """Remove parts below anything but a folder, and call ``tell`` with the path of each."""
        self._index_paths()
        for start, end in self._rows.execute(MISPLACING).fetchall():
            below = "FROM part WHERE path > ? AND path < ? AND role <> ?"
            found = self._rows.execute(f"SELECT path {below}", (start, end, HELPING))
            for (path,) in found:
                tell(path)
            self._rows.execute(f"DELETE {below}", (start, end, HELPING))

    def placed(self) -> Iterator[tuple[bytes, str]]:
        """Yield path and kind of all that is to be placed."""
        return self._rows.execute("SELECT path, kind FROM part WHERE role = ?", (PLACED,))

    def by_path(self) -> Iterator[tuple[bytes, str, int, int, int]]:
        """Yield path, kind, size, time and role of all but helping parts, by path.

        In pages, between which no query is open.
        """
        self._index_paths()
        last = b""
        while rows := self._rows.execute(BY_PATH, (last, HELPING)).fetchall():
            yield from rows
            last = rows[-1][0]

    def leave(self, left: Iterable[bytes]) -> None:
        """Remove selected parts with these paths, except targets of hard links that remain."""
        change = "UPDATE part SET role = ? WHERE path = ? AND role = ?"
        self._write(change, ((LEFT, path, PLACED) for path in left))
        self._rows.execute(
            "UPDATE part SET role = ? WHERE role = ? AND EXISTS (SELECT 1 FROM part l WHERE"
            " l.kind = 'h' AND l.role = ? AND l.target = part.path AND l.job_id = part.job_id)",
            (HELPING, LEFT, PLACED),
        )
        self._rows.execute("DELETE FROM part WHERE role = ?", (LEFT,))

    def pass_through(self, folders: Iterable[bytes]) -> None:
        """Let selected folders keep the metadata of those that are in their place."""
        found = list(folders)
        change = "UPDATE part SET role = ? WHERE path = ? AND role = ?"
        self._write(change, ((PASSED, path, PLACED) for path in found))
        self.passed.update(found)

    def only_helping(self) -> list[bytes]:
        """Return the paths of targets that are not to be placed themselves."""
        rows = self._rows.execute(
            "SELECT path FROM part WHERE role = ? EXCEPT SELECT path FROM part WHERE role <> ?",
            (HELPING, HELPING),
        )
        return [path for (path,) in rows]

    def has(self, path: bytes) -> bool:
        """Return whether something that is placed or passed has this path."""
        query = "SELECT EXISTS (SELECT 1 FROM part WHERE path = ? AND role <> ?)"
        return bool(self._one(query, path, HELPING))

    def _index_paths(self) -> None:
        self._rows.execute("CREATE INDEX IF NOT EXISTS part_path ON part (path, job_id)")

    def _add_targets(self, view: View, tick: Tick) -> None:
        if not self._one("SELECT EXISTS (SELECT 1 FROM part WHERE kind = 'h')"):
            return
        self._index_paths()
        wanted = self._rows.execute(
            "SELECT DISTINCT l.job_id, l.target FROM part l WHERE l.kind = 'h' AND NOT EXISTS"
            " (SELECT 1 FROM part t WHERE t.path = l.target AND t.job_id = l.job_id)"
        ).fetchall()
        for job_id in sorted({job_id for job_id, _ in wanted}):
            paths = [path for owner, path in wanted if owner == job_id]
            for page in parts.of_tar(job_id, view.job.client_id, paths):
                tick()
                self.add(page, HELPING)


def coalesced(pieces: Iterable[tuple[int, int, int]]) -> Iterator[Segment]:
    """Join pieces (job id, offset, length) that follow each other without a gap."""
    current = None
    for job_id, offset, length in pieces:
        if current and (current.job_id, current.offset + current.length) == (job_id, offset):
            current = Segment(job_id, current.offset, current.length + length)
            continue
        if current:
            yield current
        current = Segment(job_id, offset, length)
    if current:
        yield current


def folders_above(selection: Selection) -> set[bytes]:
    """Return the paths of all folders above what is selected, unless they are selected too."""
    nodes = {path for _, path in selection.nodes}
    chosen = [*nodes, *(path for _, path in selection.files)]
    above = {folder for path in chosen for folder in ancestors(path)}
    return {path for path in above if not is_in_any(path, nodes)}


def _selected(view: View, selection: Selection) -> Iterator[list[Part]]:
    if any(path == b"/" for _, path in selection.nodes):
        yield from parts.of_view(view)
        return
    yield from parts.below(view, [pk for pk, _ in selection.nodes])
    yield from parts.named(view, [pk for pk, _ in selection.files])
