"""What passes between the app and an engine: folders, files, jobs' results, problems."""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol
from uuid import UUID

from ..models import Job

Tick = Callable[[], None]


def no_tick() -> None:
    """No-op progress callback."""


@dataclass(frozen=True)
class Node:
    """A folder in a view. ``files`` and ``size`` count what lies directly in it."""

    node_id: int
    name: bytes
    path: bytes
    size: int  # bytes
    files: int
    mtime: int  # seconds since 1970
    has_children: bool  # whether it contains folders

    def merged_with(self, other: "Node") -> "Node":
        """Return the same folder of another backup, with the larger of each of the two counts."""
        return replace(
            other,
            size=max(self.size, other.size),
            files=max(self.files, other.files),
            has_children=self.has_children or other.has_children,
        )


@dataclass(frozen=True)
class File:
    """An entry in a folder of a view; if it is a folder, it has a ``node_id`` of its own."""

    file_id: int
    node_id: int | None
    parent_node_id: int
    name: bytes
    path: bytes
    type: str  # file, directory, symlink, hardlink, fifo, device
    size: int  # bytes
    mtime: int  # seconds since 1970
    mode: int
    owner: str
    group: str
    target: bytes  # of a link
    sha256: bytes | None  # None where the engine does not know it


@dataclass(frozen=True)
class Listing:
    """One page of a folder's content, folders first, then by name."""

    node_id: int
    path: bytes
    files: Sequence[File]
    total: int  # on all pages


@dataclass(frozen=True)
class Selection:
    """What to restore of a backup's view: whole folders and single files, as (ID, path).

    The IDs are those of ``Node`` and ``File``.
    """

    nodes: Sequence[tuple[int, bytes]] = ()
    files: Sequence[tuple[int, bytes]] = ()


@dataclass
class Outcome:
    """The counts of a finished job, in files and bytes.

    With ``warnings`` > 0 the job ends as "warnings" instead of "completed".
    """

    files: int = 0
    bytes: int = 0
    stored_bytes: int = 0
    warnings: int = 0
    message: str = ""
    # Of a restore: what was placed and what was left, for JSON; see ``Findings.as_json``.
    report: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class System:
    """An operating system that an engine can back up."""

    system: str  # unix or windows
    name: str
    notes: str = ""


@dataclass(frozen=True)
class ClientConfig:
    """A file that a client needs, ready to paste."""

    file_name: str
    config: str


@dataclass(frozen=True)
class StorageIdentity:
    """What the folder of a storage tells of itself: its label, and the zone of its backups."""

    label: UUID
    zone_name: str = ""
    zone_title: str = ""


@dataclass(frozen=True)
class Problem:
    """A fault that ``check_storage`` or ``rebuild_catalog`` found; ``path`` names the place."""

    path: str
    message: str
    job_id: int | None = None


class Run(Protocol):
    """A running job, as an engine sees it; ``jobs.job_run`` implements it."""

    job: Job

    def info(self, message: str, at: dt.datetime | None = None) -> None:
        """Write a line to the job's log, of a time that is now unless the engine tells another."""

    def warning(self, message: str, at: dt.datetime | None = None) -> None:
        """Write a line to the job's log, and let the job end as "warnings"."""

    def error(self, message: str, at: dt.datetime | None = None) -> None:
        """As ``warning``, for data that is lost."""

    def ran(self, started: dt.datetime | None, ended: dt.datetime | None) -> None:
        """Set when the job ran by the engine's clock, not when this service learned of it."""

    def expect(self, size: int) -> None:
        """Set how many bytes there are to process, for the progress display."""

    def tick(self, files: int | None = None, size: int | None = None) -> None:
        """Report that the job is alive, and how many files and bytes are done; to be called often.

        Cheap: it writes to the database at most once a second. Raises Canceled when the job is to
        end.
        """

    def adopt(self, numbers: Sequence[int]) -> None:
        """Record jobs of the engine that others started and that this one builds on."""


class View(Protocol):
    """The content of a good backup, together with the backups that it builds on.

    A ``folder`` is a value of the engine's own, which only the methods of its view read.
    """

    def folder(self, path: bytes) -> Any:
        """Return the folder with a path; raises NotFound."""

    def node(self, node_id: int) -> Any:
        """Return the folder with an ID, whose ``path`` is in bytes; raises NotFound."""

    def listing(self, path: bytes, offset: int = 0, limit: int | None = None) -> Listing:
        """Return a page of a folder's content; raises NotFound."""

    def subfolders(self, folder: Any) -> Sequence[Node]:
        """Return the folders directly in a folder, by name."""


class Ranges(Protocol):
    """An open download."""

    def read(self, offset: int, length: int) -> Iterator[bytes]:
        """Yield a range of bytes in blocks; raises EngineError if a volume is damaged."""
