"""A temporary table of the parts of a view, as the catalog has them and as the manifests have them.

It is an SQLite file, so that a view of any number of files needs little memory.
"""

import sqlite3
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

from ..catalog.extents import Part

SELECTED = 0  # the role of parts that were asked for; a restore has others
TABLE = """CREATE TABLE part (
    job_id INTEGER, offset INTEGER, length INTEGER, path BLOB, kind TEXT, size INTEGER,
    sha256 BLOB, target BLOB, mtime_ns INTEGER, role INTEGER,
    PRIMARY KEY (job_id, offset)) WITHOUT ROWID"""
MANIFEST = """CREATE TABLE manifest (
    path BLOB PRIMARY KEY, job_id INTEGER, offset INTEGER, length INTEGER, kind TEXT, size INTEGER,
    sha256 BLOB, target BLOB, mtime_ns INTEGER) WITHOUT ROWID"""
INSERT_MANIFEST = """INSERT OR REPLACE INTO manifest
    (job_id, offset, length, path, kind, size, sha256, target, mtime_ns)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"""
DIFFERENCES = """
SELECT path FROM manifest r WHERE length > 0 AND NOT EXISTS (
    SELECT 1 FROM part p WHERE p.job_id = r.job_id AND p.offset = r.offset AND p.role = 0
    AND (p.length, p.path, p.kind, p.size, p.target) = (r.length, r.path, r.kind, r.size, r.target)
    AND p.sha256 IS r.sha256)
UNION SELECT path FROM part p WHERE role = 0 AND NOT EXISTS (
    SELECT 1 FROM manifest r WHERE r.path = p.path AND r.job_id = p.job_id AND r.offset = p.offset)
"""
COPY_MANIFEST = """INSERT OR REPLACE INTO part
    SELECT job_id, offset, length, path, kind, size, sha256, target, mtime_ns, 0 FROM manifest
    WHERE length > 0"""
INSERT = "INSERT OR IGNORE INTO part VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


class PartTable:
    """Parts of a view by their role, beside what the manifests say of the same paths."""

    def __init__(self, path: Path | None = None):
        """Create a new table in a file, which stays there; without one in a temporary file."""
        self._rows = sqlite3.connect(path or "", isolation_level=None)
        self._rows.executescript(
            f"PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; {TABLE}; {MANIFEST}"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self._rows.close()

    def add(self, page: Iterable[Part], role: int = SELECTED) -> None:
        """Add parts as the catalog has them, but those without content in a tar."""
        self._write(INSERT, ((*part, role) for part in page if part.length))

    def add_from_manifest(self, page: Iterable[Part]) -> None:
        """Add parts as a manifest has them; those of older backups come first."""
        self._write(INSERT_MANIFEST, page)

    def is_in_manifest(self, path: bytes) -> bool:
        """Return whether the manifests have an entry at a path."""
        query = "SELECT EXISTS (SELECT 1 FROM manifest WHERE path = ? AND length > 0)"
        return bool(self._one(query, path))

    def differences(self) -> list[bytes]:
        """Return the paths of selected parts for which catalog and manifests differ."""
        return [path for (path,) in self._rows.execute(DIFFERENCES)]

    def use_manifest(self) -> None:
        """Replace the selected parts by those of the manifests."""
        self._rows.execute("DELETE FROM part WHERE role = ?", (SELECTED,))
        self._rows.execute(COPY_MANIFEST)

    def _one(self, query: str, *values: object) -> Any:
        return self._rows.execute(query, values).fetchone()[0]

    def _write(self, statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self._rows.execute("BEGIN")
        self._rows.executemany(statement, rows)
        self._rows.execute("COMMIT")
