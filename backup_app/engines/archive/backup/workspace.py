"""The temporary database of a running backup: an SQLite file, so that no tree is too large.

Most of what ``find`` lists is unchanged in the view of the backup that this one builds on, and in
the same order: those are matched in memory, in a window of both. The rest of the two goes into the
tables ``known`` and ``listed``, which are compared at the end; ``known`` then holds what is gone.
``found`` is what must be stored, in the order of the scan: folders before their content. ``links``
are the names of files with several, ``deferred`` is what must be read again.
"""

import itertools
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self

from ....lib import paths
from ....lib.bulk import batches
from ...values import Tick

BATCH = 5_000  # rows of one statement
WINDOW = 4 * BATCH  # rows in memory, of the scan and of the view together
Values = tuple[Any, ...]  # a row
FolderIds = Callable[[Iterable[bytes]], dict[bytes, int]]  # by the hash of the path
Stat = tuple[int, int, int, str]  # mtime, ctime, inode, and owner as of ToStore
SHARE = 0.5  # of the free disk space, so that a client with endless files cannot fill it
SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA temp_store = FILE;
CREATE TABLE known (
    folder INTEGER, name BLOB, kind TEXT, size INTEGER, mtime INTEGER, ctime INTEGER,
    inode INTEGER, PRIMARY KEY (folder, name)
) WITHOUT ROWID;
CREATE TABLE dirs (
    no INTEGER PRIMARY KEY, parent INTEGER, depth INTEGER, name BLOB, path BLOB, folder INTEGER
);
CREATE TABLE listed (
    no INTEGER PRIMARY KEY, dir INTEGER, folder INTEGER, name BLOB, kind TEXT, size INTEGER,
    mtime INTEGER, ctime INTEGER, inode INTEGER, owner TEXT, node INTEGER
);
CREATE TABLE found (
    no INTEGER PRIMARY KEY, dir INTEGER, name BLOB, kind TEXT, size INTEGER, mtime INTEGER,
    ctime INTEGER, inode INTEGER, owner TEXT, node INTEGER
);
CREATE TABLE links (
    no INTEGER, dir INTEGER, name BLOB, kind TEXT, size INTEGER, mtime INTEGER, ctime INTEGER,
    inode INTEGER, owner TEXT
);
CREATE TABLE deferred (no INTEGER PRIMARY KEY, path BLOB UNIQUE);
"""
# A hard link has size 0 in the catalog, and can be one to anything but a folder.
CHANGED = """
INSERT INTO found
SELECT b.no, b.dir, b.name, b.kind, b.size, b.mtime, b.ctime, b.inode, b.owner, b.node
FROM listed b LEFT JOIN known k ON k.folder = b.folder AND k.name = b.name
WHERE b.no BETWEEN ? AND ? AND (
    k.kind IS NULL OR k.ctime <> b.ctime OR k.mtime <> b.mtime OR k.inode <> b.inode
    OR (k.kind <> b.kind AND (k.kind <> 'h' OR b.kind = 'd'))
    OR (k.kind = 'f' AND k.size <> b.size)
)
"""
SEEN = """
DELETE FROM known
WHERE (folder, name) IN (SELECT folder, name FROM listed WHERE no BETWEEN ? AND ?)
"""
# Two file systems may have the same inode number: then more is stored than necessary.
LINKED = """
INSERT OR IGNORE INTO found SELECT *, NULL FROM links
WHERE inode IN (SELECT l.inode FROM links l JOIN found f ON f.no = l.no)
"""
LEARN = "REPLACE INTO known VALUES (?, ?, ?, ?, ?, ?, ?)"
TO_COMPARE = "INSERT INTO listed VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
TO_LINK = "INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
FOUND = "INSERT INTO found VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
NAMES = "SELECT d.path, f.name FROM found f JOIN dirs d ON d.no = f.dir ORDER BY f.no"
TO_STORE = """
SELECT d.path, d.folder, f.name, f.kind, f.size, f.mtime, f.ctime, f.inode, f.owner, n.folder, f.no
FROM {} JOIN dirs d ON d.no = f.dir LEFT JOIN dirs n ON n.no = f.node ORDER BY {}
"""
WITHOUT_FOLDER = """
SELECT d.no, d.name, d.path, p.folder FROM dirs d LEFT JOIN dirs p ON p.no = d.parent
WHERE d.depth = ? AND d.folder IS NULL LIMIT ?
"""


class Dir:
    """A scanned folder; ``folder`` is its ID in the catalog, once that is known."""

    __slots__ = "depth", "folder", "no", "path"

    def __init__(self, path: bytes, no: int, depth: int):
        self.path, self.no, self.depth = path, no, depth
        self.folder: int | None = None


class ToStore(NamedTuple):
    """A file or folder that tar is to read, as the scan found it."""

    path: bytes
    folder: int
    name: bytes
    kind: str
    size: int
    mtime: int
    ctime: int
    inode: int
    owner: str  # with group and mode, as numbers: "0:0:644"
    node: int | None
    no: int | None = None


class Workspace:
    """The temporary database of one backup; used as a context manager."""

    def __init__(self, path: Path, *, share: float = SHARE):
        """Beyond ``share`` of the free disk any method raises sqlite3.OperationalError."""
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.executescript(SCHEMA)
        free, page = shutil.disk_usage(path.parent).free, self._pragma("page_size")
        self._pragma(f"max_page_count = {int(free * share) // page}")
        self._batch: list[Values] = []
        self._links: list[Values] = []
        self._dirs: list[Values] = []
        self._above: list[Values] = []
        self._count = 0
        self._pages: Iterator[list[Values]] | None = None
        self._folder_ids: FolderIds = lambda hashes: {}
        self._known: list[Values] = []  # with _listed the window of rows in memory
        self._listed: dict[Values, Values] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._db.close()

    # --- What the scan finds ----------------------------------------------------------------

    def build_on(self, pages: Iterator[list[Values]], folder_ids: FolderIds) -> None:
        """Leave out what a view has unchanged; to be called before anything is added.

        ``pages`` have (folder, name, kind, size, mtime, ctime, inode).
        """
        self._pages, self._folder_ids = pages, folder_ids

    def add_dir(
        self, parent: Dir | None, name: bytes, path: bytes, stat: Stat, *, chosen: bool = True
    ) -> Dir:
        """Add a folder, after its parent; the root has none.

        One that is not ``chosen``, but above a path of the fileset, is stored only if the view
        lacks it.
        """
        no = self._count = self._count + 1
        added = Dir(path, no, parent.depth + 1 if parent else 0)
        self._dirs.append((added, parent.no if parent else None, name))
        rows = self._batch if chosen or not self._pages else self._above
        rows.append((parent or added, name, "d", 0, *stat, no, no))
        return added

    def add(
        self, parent: Dir, name: bytes, kind: str, size: int, stat: Stat, *, linked: bool = False
    ) -> None:
        """Add anything but a folder; only files have a size.

        ``linked`` files have other names (hard links).
        """
        no = self._count = self._count + 1
        self._batch.append((parent, name, kind, size, *stat, no, None))
        if linked and self._pages:
            self._links.append((no, parent.no, name, kind, size, *stat))
        if len(self._batch) >= BATCH:
            self._compare()

    def complete(self, tick: Tick) -> None:
        """Compare the rest of scan and view; to be called when everything was added."""
        self._compare()
        if not self._pages:
            return
        for page in self._pages:
            self._settle(page)
            tick()
        self._spill(0)
        self._compare_the_rest(tick)
        self._keep_above()
        # Stored without its other names, a hard link would be restored as a separate file.
        self._db.execute(LINKED)

    def _compare(self) -> None:
        if self._pages:
            self._find_folders()
        with self._writing():
            self._add_dirs()
            self._db.executemany(FOUND, map(to_store, self._new()))
            self._db.executemany(TO_LINK, self._links)
        self._batch.clear()
        self._links.clear()
        if self._pages:
            self._settle(next(self._pages, []))

    def _find_folders(self) -> None:
        for some in batches(self._dirs):
            hashes = {paths.digest(added.path): added for added, _, _ in some}
            for digest, folder in self._folder_ids(hashes).items():
                hashes[digest].folder = folder

    def _add_dirs(self) -> None:
        self._db.executemany(
            "INSERT INTO dirs VALUES (?, ?, ?, ?, ?, ?)",
            (
                (added.no, parent, added.depth, name, added.path, added.folder)
                for added, parent, name in self._dirs
            ),
        )
        self._dirs.clear()

    def _new(self) -> list[Values]:
        """Return entries that cannot be in a view, and add the rest to the window."""
        if not self._pages:
            return self._batch
        rows = {
            (parent.folder, name, kind, size, mtime, ctime, inode): (no, parent.no, owner, node)
            for parent, name, kind, size, mtime, ctime, inode, owner, no, node in self._batch
            if parent.folder is not None
        }
        self._listed = self._listed | rows if self._listed else rows
        return [row for row in self._batch if row[0].folder is None]

    def _settle(self, page: list[Values]) -> None:
        """Remove from the window what is equal in view and scan."""
        take_out = self._listed.pop
        waiting = itertools.chain(self._known, page)
        self._known = [row for row in waiting if take_out(row, None) is None]
        self._spill(WINDOW)

    def _spill(self, most: int) -> None:
        """Move the content of the window to the tables if it exceeds ``most``."""
        with self._writing():
            if len(self._known) > most:
                self._db.executemany(LEARN, self._known)
                self._known.clear()
            if len(self._listed) > most:
                rows = self._listed.items()
                self._db.executemany(
                    TO_COMPARE,
                    ((no, in_, *row, owner, node) for row, (no, in_, owner, node) in rows),
                )
                self._listed.clear()

    def _compare_the_rest(self, tick: Tick) -> None:
        first, last = self._db.execute("SELECT min(no), max(no) FROM listed").fetchone()
        for start in range(first or 0, (last or -1) + 1, BATCH):
            with self._writing():
                self._db.execute(CHANGED, (start, start + BATCH - 1))
                self._db.execute(SEEN, (start, start + BATCH - 1))
            tick()

    def _keep_above(self) -> None:
        for row in self._above:
            if not self.keep(row[0].folder, row[1]):
                self._db.execute(FOUND, to_store(row))

    def totals(self) -> tuple[int, int]:
        """Return the number of entries to store, and the bytes of their content."""
        count, size = self._db.execute(
            "SELECT count(*), total(size) FILTER (WHERE kind = 'f') FROM found"
        ).fetchone()
        return count, int(size)  # SQLite's total() is a float

    # --- Folders of the catalog ------------------------------------------------------------

    def dirs_without_folder(self, count: int) -> Iterator[list[Values]]:
        """Yield lists of (number, name, path, parent's ID), parents first.

        Each list is to be given IDs before the next is asked for.
        """
        deepest = self._db.execute("SELECT max(depth) FROM dirs").fetchone()[0]
        for depth in range((deepest or 0) + 1):
            while rows := self._db.execute(WITHOUT_FOLDER, (depth, count)).fetchall():
                yield rows

    def set_folder_ids(self, ids: Iterable[tuple[int, int]]) -> None:
        """Store (ID in the catalog, number) of folders."""
        with self._writing():
            self._db.executemany("UPDATE dirs SET folder = ? WHERE no = ?", ids)

    # --- What must be stored --------------------------------------------------------------------

    def names(self) -> Iterator[bytes]:
        """Yield the paths that tar is to read, in order."""
        return itertools.starmap(paths.join, self._db.execute(NAMES))

    def to_store(self) -> Iterator[ToStore]:
        """Yield what tar is to read, in order."""
        return self._to_store("found f", "f.no")

    def defer(self, place: ToStore) -> None:
        """Mark a file to be read again."""
        self._db.execute("INSERT INTO deferred VALUES (?, ?)", (place.no, place.path))

    def is_deferred(self, path: bytes) -> bool:
        """Return whether a path is to be read again."""
        query = "SELECT EXISTS (SELECT 1 FROM deferred WHERE path = ?)"
        return bool(self._db.execute(query, (path,)).fetchone()[0])

    def deferred(self) -> Iterator[ToStore]:
        """Yield what is to be read again: one folder after another, parents first."""
        return self._to_store("deferred JOIN found f USING (no)", "f.dir, f.no")

    def _to_store(self, source: str, order: str) -> Iterator[ToStore]:
        join, make = paths.join, ToStore._make
        for row in self._db.execute(TO_STORE.format(source, order)):
            yield make((join(row[0], row[2]), *row[1:]))

    def gone(self) -> Iterator[tuple[int, bytes]]:
        """Yield (folder, name) of what the view has and the scan did not find."""
        yield from self._db.execute("SELECT folder, name FROM known")

    def keep(self, folder: int | None, name: bytes) -> bool:
        """Do not count an entry as gone; return whether it would have been."""
        statement = "DELETE FROM known WHERE folder = ? AND name = ?"
        return self._db.execute(statement, (folder, name)).rowcount > 0

    def keep_folders(self, folders: Iterable[int]) -> None:
        """Do not count the entries directly in these folders as gone."""
        with self._writing():
            self._db.executemany("DELETE FROM known WHERE folder = ?", ((f,) for f in folders))

    def _pragma(self, text: str) -> int:
        value: int = self._db.execute(f"PRAGMA {text}").fetchone()[0]
        return value

    @contextmanager
    def _writing(self) -> Iterator[None]:
        self._db.execute("BEGIN")
        yield
        self._db.execute("COMMIT")


def to_store(row: Values) -> Values:
    """Return a listed row as one of ``found``."""
    parent, name, *values, no, node = row
    return no, parent.no, name, *values, node
