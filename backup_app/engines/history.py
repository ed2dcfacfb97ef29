"""What an engine tells of files over time: found names, versions, differences between backups."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..exceptions import WrongState
from ..models import Client, Job
from .values import File, Tick, no_tick


@dataclass(frozen=True)
class Version:
    """A version of a file or folder, and the backups that contain it."""

    file: File
    oldest: Job
    newest: Job  # of the backups that contain it: the one to restore it from
    backups: int


@dataclass(frozen=True)
class History:
    """All versions that backups have at a path, newest first."""

    path: bytes
    versions: Sequence[Version] = ()
    # The first backup that no longer contains it, None while the newest one does.
    gone_since: Job | None = None


@dataclass(frozen=True)
class NameSearch:
    """A page of the paths whose names match, by path."""

    found: Sequence[History] = ()
    total: int = 0
    is_complete: bool = True  # False if there are more than are counted
    unindexed: int = 0  # backups whose names cannot be searched yet


@dataclass(frozen=True)
class Difference:
    """A path that differs between two backups."""

    path: bytes
    change: str  # added, removed or changed
    old: File | None = None
    new: File | None = None


@dataclass(frozen=True)
class Differences:
    """A page of differences, by folder; ``after`` continues it, "" at the end."""

    rows: Sequence[Difference] = field(default_factory=list)
    after: str = ""


class FindingMixin:
    """The contract's part on all backups of a client, with what engines without it answer."""

    alias: str

    def index_names(self, job: Job, tick: Tick = no_tick) -> None:
        """Make the names in a good backup searchable; called after it has ended, or again."""

    def unindexed_jobs(self) -> Sequence[int]:
        """Return the IDs of good backups whose names are not searchable yet, oldest first."""
        return ()

    def search_names(self, client: Client, text: str, offset: int, limit: int) -> NameSearch:
        """Return a page of the paths whose names contain a text or, with wildcards, match it.

        Upper and lower case are the same. Raises Invalid for a text that cannot be searched for.
        """
        raise self._cannot("search all backups of a client for a name")

    def history(self, client: Client, path: bytes) -> History:
        """Return the versions that a client's good backups have at a path, none if there are none.

        Raises NotFound for a path with ``..``.
        """
        raise self._cannot("list the versions of a file")

    def differences(self, old: Job, new: Job, path: bytes, after: str, limit: int) -> Differences:
        """Return a page of what differs at and below a path between two backups of a client.

        ``after`` is that of the page before, "" for the first one; raises Invalid for any other.
        """
        raise self._cannot("compare backups")

    def _cannot(self, what: str) -> WrongState:
        return WrongState(f"The engine '{self.alias}' cannot {what}.")
