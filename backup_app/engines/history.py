"""What an engine tells of files over time: found names, versions, differences between backups."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..models import Job
from .values import File


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
