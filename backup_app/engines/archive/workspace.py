"""What a backup knows while it works: a temporary SQLite file, so that no tree is too large.

``known`` is the view of the backup that this one builds on. What ``find`` lists is taken out of
it again, so that in the end it holds what is gone. ``found`` is what is to be stored, in the
order in which it was listed: folders before what is in them. ``links`` are the names of what has
more than one.
"""

import itertools
import shutil
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from . import paths

BATCH = 5_000
SHARE = 0.5  # who lists files without end does not fill the disk that all share
SCHEMA = """
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA temp_store = FILE;
PRAGMA cache_size = -16384;
CREATE TABLE known (
    folder INTEGER, name BLOB, kind TEXT, size INTEGER, mtime INTEGER, ctime INTEGER,
    inode INTEGER, node INTEGER, PRIMARY KEY (folder, name)
) WITHOUT ROWID;
CREATE TABLE dirs (
    no INTEGER PRIMARY KEY, parent INTEGER, depth INTEGER, name BLOB, path BLOB, folder INTEGER
);
CREATE TABLE batch (
    no INTEGER, dir INTEGER, folder INTEGER, name BLOB, kind TEXT, size INTEGER, mtime INTEGER,
    ctime INTEGER, inode INTEGER, node INTEGER
);
CREATE TABLE found (
    no INTEGER PRIMARY KEY, dir INTEGER, name BLOB, kind TEXT, size INTEGER, ctime INTEGER,
    inode INTEGER, node INTEGER
);
CREATE TABLE links (
    no INTEGER, dir INTEGER, name BLOB, kind TEXT, size INTEGER, ctime INTEGER, inode INTEGER
);
"""
# A hard link has the size 0 in the catalog, and may be one to anything but a folder.
CHANGED = """
INSERT INTO found
SELECT b.no, b.dir, b.name, b.kind, b.size, b.ctime, b.inode, b.node
FROM batch b LEFT JOIN known k ON k.folder = b.folder AND k.name = b.name
WHERE k.kind IS NULL OR k.ctime <> b.ctime OR k.mtime <> b.mtime OR k.inode <> b.inode
   OR (k.kind <> b.kind AND (k.kind <> 'h' OR b.kind = 'd'))
   OR (k.kind = 'f' AND k.size <> b.size)
"""
SEEN = "DELETE FROM known WHERE (folder, name) IN (SELECT folder, name FROM batch)"
# Inodes of two filesystems may be taken for one: then more is stored than need be.
LINKED = """
INSERT OR IGNORE INTO found SELECT *, NULL FROM links
WHERE inode IN (SELECT l.inode FROM links l JOIN found f ON f.no = l.no)
"""
TO_COMPARE = "INSERT INTO batch VALUES "
LEARN = "REPLACE INTO known VALUES "
AT_ONCE = 100  # rows in a statement, which takes half the time of one statement a row
ALL = "INSERT INTO found VALUES (?1, ?2, ?4, ?5, ?6, ?8, ?9, ?10)"
NAMES = "SELECT d.path, f.name FROM found f JOIN dirs d ON d.no = f.dir ORDER BY f.no"
TO_STORE = """
SELECT d.path, d.folder, f.name, f.ctime, f.inode, n.folder
FROM found f JOIN dirs d ON d.no = f.dir LEFT JOIN dirs n ON n.no = f.node ORDER BY f.no
"""
WITHOUT_FOLDER = """
SELECT d.no, d.name, d.path, p.folder FROM dirs d LEFT JOIN dirs p ON p.no = d.parent
WHERE d.depth = ? AND d.folder IS NULL LIMIT ?
"""


class Dir(NamedTuple):
    """A folder that was listed. ``folder`` is its ID in the catalog, if it was in the view."""

    path: bytes
    no: int
    folder: int | None
    depth: int


class ToStore(NamedTuple):
    """Something that tar is to read."""

    path: bytes
    folder: int
    name: bytes
    ctime: int
    inode: int
    node: int | None


class Workspace:
    """The temporary database of one backup; used as a context manager."""

    def __init__(self, path: Path, *, share: float = SHARE):
        """``share`` of what is free of the disk may be taken; sqlite3.OperationalError then."""
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.executescript(SCHEMA)
        free, page = shutil.disk_usage(path.parent).free, self._pragma("page_size")
        self._pragma(f"max_page_count = {int(free * share) // page}")
        self._batch: list[tuple] = []
        self._links: list[tuple] = []
        self._dirs: list[tuple] = []
        self._count = 0
        self._knows = False

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self._db.close()

    # --- What the view of the base holds ---------------------------------------------------

    def learn(self, rows: list[tuple]) -> None:
        """Take over (folder, name, kind, size, mtime, ctime, inode, node); later rows win."""
        self._knows = True
        with self._writing():
            self._insert(LEARN, rows)

    def forget_gone(self) -> None:
        """Drop what the chain catalogued as gone, once all is learnt."""
        self._db.execute("DELETE FROM known WHERE kind = '-'")

    # --- What is listed now ----------------------------------------------------------------

    def add_dir(self, parent: Dir | None, name: bytes, path: bytes) -> Dir:
        """Add a folder, whose parent was added before; the root has none."""
        folder = self._known_node(parent, name) if self._knows else None
        no = self._count = self._count + 1
        depth = parent.depth + 1 if parent else 0
        self._dirs.append((no, parent.no if parent else None, depth, name, path, folder))
        return Dir(path, no, folder, depth)

    def add(
        self, parent: Dir, name: bytes, values: tuple, node: int | None, *, linked: bool = False
    ) -> None:
        """Add an entry with (kind, size, mtime, ctime, inode).

        ``node`` is a folder's number; ``linked`` is what has other names, as hard links have.
        """
        self._count += 1
        self._batch.append((self._count, parent.no, parent.folder, name, *values, node))
        if linked and self._knows:
            kind, size, _, ctime, inode = values
            self._links.append((self._count, parent.no, name, kind, size, ctime, inode))
        if len(self._batch) >= BATCH:
            self.compare()

    def compare(self) -> None:
        """Sort what was added into new or changed, and seen; to be called at the end."""
        with self._writing():
            self._db.executemany("INSERT INTO dirs VALUES (?, ?, ?, ?, ?, ?)", self._dirs)
            if self._knows:
                self._insert(TO_COMPARE, self._batch)
                self._db.execute(CHANGED)
                self._db.execute(SEEN)
                self._db.execute("DELETE FROM batch")
                self._db.executemany("INSERT INTO links VALUES (?, ?, ?, ?, ?, ?, ?)", self._links)
            else:
                self._db.executemany(ALL, self._batch)
        self._dirs.clear()
        self._batch.clear()
        self._links.clear()

    def complete_links(self) -> None:
        """Store all names of what is stored under one of them, once all is listed.

        In a tar alone a name would come out as a file of its own.
        """
        self._db.execute(LINKED)

    def totals(self) -> tuple[int, int]:
        """Return how many entries there are to store, and the bytes of their content."""
        count, size = self._db.execute(
            "SELECT count(*), total(size) FILTER (WHERE kind = 'f') FROM found"
        ).fetchone()
        return count, int(size)  # of exabytes only about as many

    # --- Folders of the catalog ------------------------------------------------------------

    def dirs_without_folder(self, count: int) -> Iterator[list[tuple]]:
        """Yield lists of (number, name, path, parent's ID), parents first.

        Each list is to be given IDs before the next is asked for.
        """
        deepest = self._db.execute("SELECT max(depth) FROM dirs").fetchone()[0]
        for depth in range((deepest or 0) + 1):
            while rows := self._db.execute(WITHOUT_FOLDER, (depth, count)).fetchall():
                yield rows

    def give_folders(self, ids: Iterable[tuple[int, int]]) -> None:
        """Take over (ID in the catalog, number) of folders."""
        with self._writing():
            self._db.executemany("UPDATE dirs SET folder = ? WHERE no = ?", ids)

    # --- What comes out --------------------------------------------------------------------

    def names(self) -> Iterator[bytes]:
        """Yield the paths that tar is to read, in order."""
        return itertools.starmap(paths.join, self._db.execute(NAMES))

    def to_store(self) -> Iterator[ToStore]:
        """Yield what tar is to read, in order."""
        for path, folder, name, ctime, inode, node in self._db.execute(TO_STORE):
            yield ToStore(paths.join(path, name), folder, name, ctime, inode, node)

    def gone(self) -> Iterator[tuple[int, bytes]]:
        """Yield (folder, name) of what was in the view and was not listed."""
        yield from self._db.execute("SELECT folder, name FROM known")

    def keep(self, folder: int, name: bytes) -> None:
        """See to it that something of the view does not count as gone."""
        self._db.execute("DELETE FROM known WHERE folder = ? AND name = ?", (folder, name))

    def keep_folders(self, folders: Iterable[int]) -> None:
        """See to it that what lies directly in these folders does not count as gone."""
        with self._writing():
            self._db.executemany("DELETE FROM known WHERE folder = ?", ((f,) for f in folders))

    def _pragma(self, text: str) -> int:
        return self._db.execute(f"PRAGMA {text}").fetchone()[0]

    def _known_node(self, parent: Dir | None, name: bytes) -> int | None:
        if parent is None:
            where, values = "name = ? AND node = folder", (name,)
        else:
            where, values = "folder = ? AND name = ?", (parent.folder, name)
        row = self._db.execute(f"SELECT node FROM known WHERE {where}", values).fetchone()  # noqa: S608
        return row[0] if row else None

    def _insert(self, statement: str, rows: list[tuple]) -> None:
        for start in range(0, len(rows), AT_ONCE):
            some = rows[start : start + AT_ONCE]
            place = f"({', '.join('?' * len(some[0]))})"
            values = list(itertools.chain.from_iterable(some))
            self._db.execute(statement + ", ".join([place] * len(some)), values)

    @contextmanager
    def _writing(self):
        self._db.execute("BEGIN")
        yield
        self._db.execute("COMMIT")
