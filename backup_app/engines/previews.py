"""What a restore finds where it is to write, and what it does about that: its plan and its report.

An engine makes the plan and the report with the same code, so that they cannot disagree.
"""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from ..lib.paths import shown

MAX_CONFLICTS = 200  # paths named in a plan or report; the counts are of all


class Existing(StrEnum):
    """What a restore does with files that are there already."""

    OVERWRITE = "overwrite"
    KEEP_NEWER = "keep-newer"  # replaces only those that were last changed before the backup's
    KEEP = "keep"


class State(StrEnum):
    """What is in the place of an entry that is to be restored."""

    NEW = "new"  # nothing is there
    SAME = "same"  # kind, size and time are those of the backup
    OLDER = "older"  # there is an older version, or another of the same time
    NEWER = "newer"
    OTHER = "other"  # a file in the place of a folder, a symlink in that of a file, …
    BLOCKED = "blocked"  # a folder that is not empty, or a path that leads through no folder
    MERGED = "merged"  # a folder in the place of a folder: its content stays
    UNKNOWN = "unknown"  # the engine does not learn it


class Status(NamedTuple):
    """What is at a path, in the terms of the catalog; symlinks are not followed."""

    kind: str
    size: int
    mtime_ns: int
    is_empty: bool = False  # of a folder, where a file is to be


def compared(kind: str, size: int, mtime_ns: int, there: Status | None) -> State:
    """Return what is in the place of an entry with this kind, size and time of change."""
    if there is None:
        return State.NEW
    if kind == there.kind == "d":
        return State.MERGED
    if there.kind == "d":
        return State.OTHER if there.is_empty else State.BLOCKED
    if there.kind != ("f" if kind == "h" else kind):
        return State.OTHER
    if there.mtime_ns != mtime_ns:
        return State.NEWER if there.mtime_ns > mtime_ns else State.OLDER
    return State.SAME if kind != "f" or there.size == size else State.OLDER


def is_placed(state: State, existing: Existing) -> bool:
    """Return whether an entry is restored where it finds this; folders that merge are not asked."""
    if existing == Existing.OVERWRITE:
        return state != State.BLOCKED
    return state == State.NEW or (state == State.OLDER and existing == Existing.KEEP_NEWER)


@dataclass(frozen=True)
class Conflict:
    """An entry in whose place something is, which it replaces or which stays."""

    path: bytes
    state: State
    is_placed: bool
    size: int  # in the backup, in bytes
    mtime_ns: int
    there: Status | None


@dataclass
class Findings:
    """The entries and bytes of a restore, by what is in their place."""

    placed: dict[State, list[int]] = field(default_factory=dict)
    left: dict[State, list[int]] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    more: int = 0  # conflicts that are not in the list

    def add(
        self, state: State, size: int, *, placed: bool, conflict: Conflict | None = None
    ) -> None:
        """Count an entry."""
        counts = (self.placed if placed else self.left).setdefault(state, [0, 0])
        counts[0] += 1
        counts[1] += size
        if conflict and len(self.conflicts) < MAX_CONFLICTS:
            self.conflicts.append(conflict)
        elif conflict:
            self.more += 1

    def as_json(self) -> dict[str, Any]:
        """Return the counts and paths for JSON; paths as text."""
        return {
            "placed": _plain(self.placed),
            "left": _plain(self.left),
            "paths": [
                {
                    "path": shown(each.path),
                    "there": each.state.value,
                    "placed": each.is_placed,
                    "size": each.size,
                    "mtime": each.mtime_ns // 10**9,
                    "size_there": each.there.size if each.there else None,
                    "mtime_there": each.there.mtime_ns // 10**9 if each.there else None,
                }
                for each in self.conflicts
            ],
            "more_paths": self.more,
        }


def _plain(counts: dict[State, list[int]]) -> dict[str, dict[str, int]]:
    return {
        state.value: {"entries": counts[state][0], "bytes": counts[state][1]}
        for state in State
        if state in counts
    }


@dataclass(frozen=True)
class NeededVolume:
    """A volume that a restore reads; ``fault`` says why it cannot be read, "" if it can."""

    job_id: int
    path: str  # or its name, where the engine knows volumes by names
    size: int
    fault: str
    state: str = "there"


@dataclass
class Preview:
    """What a restore would do, were it run now."""

    findings: Findings
    entries: int  # that would be placed
    bytes: int  # that would be read
    free: int | None  # bytes at the destination, None if unknown
    volumes: list[NeededVolume]
    notes: list[str] = field(default_factory=list)  # warnings that the restore would log
    frees: bool = False  # what is replaced makes room for what comes, since it goes file by file

    @property
    def faults(self) -> list[str]:
        """Sentences on why the restore would fail."""
        found = [volume.fault for volume in self.volumes if volume.fault]
        return found if self.frees else [*found, *self._shortage]

    @property
    def warnings(self) -> list[str]:
        """What is to be known before the restore, though it need not fail."""
        return [*self.notes, *self._shortage] if self.frees else self.notes

    @property
    def _shortage(self) -> list[str]:
        if self.free is None or self.bytes <= self.free:
            return []
        return [f"The destination has {self.free} bytes free, of {self.bytes} needed."]

    def as_json(self) -> dict[str, Any]:
        """Return everything for JSON."""
        return {
            "entries": self.entries,
            "bytes": self.bytes,
            "free": self.free,
            **self.findings.as_json(),
            "volumes": [volume.__dict__ for volume in self.volumes],
            "notes": self.warnings,
            "faults": self.faults,
        }
