"""Looking at what is in the places that a restore writes to, before it does.

The plan of a restore is made of this, and so is its report: what stays is not even read.
"""

import heapq
from collections.abc import Iterable, Iterator
from typing import Protocol

from ....lib import paths
from ...previews import Conflict, Existing, Findings, State, Status, compared, is_placed
from ...values import Tick
from .plan import PASSED, RestorePlan

EVERY = 1000  # entries between two ticks
Row = tuple[bytes, str, int, int, int]  # path, kind, size, mtime_ns, role


class Place(Protocol):
    """Where a restore goes."""

    def statuses(self, wanted: Iterable[bytes]) -> Iterator[Status | None]:
        """Yield what is at each of these paths of the backup, in their order, folders first."""

    def empty_folders(self, wanted: Iterable[bytes]) -> set[bytes]:
        """Return those of these folders that are empty."""


def survey(plan: RestorePlan, place: Place, existing: Existing, tick: Tick) -> Findings:
    """Return what is there already, and remove from the plan what stays as it is."""
    walk = _Survey(existing)
    statuses = place.statuses(row[0] for row in _rows(plan))
    for number, (row, there) in enumerate(zip(_rows(plan), statuses, strict=True)):
        if number % EVERY == 0:
            tick()
        walk.meet(row, there)
    walk.decide_folders(place.empty_folders(walk.in_the_way))
    # What cannot be replaced though it should be is left in the plan: its placement is refused.
    if existing != Existing.OVERWRITE:
        plan.leave(walk.left)
        plan.pass_through(walk.merged)
    return walk.findings


def _rows(plan: RestorePlan) -> Iterator[Row]:
    """Yield what is placed or passed, each folder before what is in it."""
    implied = ((path, "d", 0, 0, PASSED) for path in sorted(plan.passed))
    last = None
    for row in heapq.merge(plan.by_path(), implied, key=lambda row: row[0]):
        if row[0] != last:
            last = row[0]
            yield row


class _Survey:
    def __init__(self, existing: Existing):
        self.existing = existing
        self.findings = Findings()
        self.left: list[bytes] = []
        self.merged: list[bytes] = []
        self.in_the_way: list[bytes] = []  # folders where files are to be
        self._waiting: dict[bytes, tuple[Row, Status]] = {}
        # Folders that are made anew, and paths below which nothing can be placed.
        self._new: set[bytes] = set()
        self._blocked: set[bytes] = set()
        self._last: tuple[bytes, State | None] = (b"", None)

    def meet(self, row: Row, there: Status | None) -> None:
        path, kind, size, mtime_ns, _ = row
        state = self._above(path)
        if state is None:
            state = compared(kind, size, mtime_ns, there)
        else:
            there = None
        if state == State.BLOCKED and there:
            self.in_the_way.append(path)
            self._waiting[path] = row, there
            return
        self._note(row, there, state)

    def decide_folders(self, empty: set[bytes]) -> None:
        """Decide on files in whose place a folder is, of which only an empty one can go."""
        for path, (row, there) in self._waiting.items():
            self._note(row, there, State.OTHER if path in empty else State.BLOCKED)

    def _above(self, path: bytes) -> State | None:
        """Return what an entry finds whose folder is new or not there; None if it is to be seen."""
        folder, name = paths.split(path)
        if not name:
            return None
        if folder != self._last[0]:
            self._last = folder, self._state_in(folder)
        return self._last[1]

    def _state_in(self, folder: bytes) -> State | None:
        for path in (folder, *paths.ancestors(folder)):
            if path in self._blocked:
                return State.BLOCKED
            if path in self._new:
                return State.NEW
        return None

    def _note(self, row: Row, there: Status | None, state: State) -> None:
        path, kind, size, mtime_ns, role = row
        if role == PASSED:
            if state == State.NEW:
                self._new.add(path)
            elif state != State.MERGED:
                self._blocked.add(path)
            return
        placed = is_placed(state, self.existing)
        if state == State.MERGED:
            self.merged.append(path)
        elif kind == "d":
            (self._new if placed else self._blocked).add(path)
        if not placed and state != State.MERGED:
            self.left.append(path)
        is_conflict = state not in (State.NEW, State.SAME, State.MERGED)
        conflict = Conflict(path, state, placed, size, mtime_ns, there) if is_conflict else None
        self.findings.add(state, size, placed=placed or state == State.MERGED, conflict=conflict)
