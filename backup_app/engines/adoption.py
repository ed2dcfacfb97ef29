"""What engines report of an installation that other programs use as well.

Plain values with the engine's own names, of which ``services.adoption`` and ``jobs.adoption`` make
records, and the contract's part that returns them, with defaults for engines without any.
"""

import datetime as dt
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..models import Client, Fileset, Job, Pool, Storage


@dataclass(frozen=True)
class PlannedRun:
    """A backup that an installation will start by a schedule of its own."""

    time: dt.datetime
    job: str
    level: str  # such as "Incremental"
    schedule: str


@dataclass(frozen=True)
class PlannedRuns:
    """The next of such backups, and a sentence on those that cannot be told, if there are any."""

    runs: Sequence[PlannedRun] = ()
    hidden: str = ""


@dataclass(frozen=True)
class FoundStorage:
    name: str


@dataclass(frozen=True)
class FoundPool:
    name: str
    retention_days: int
    storage: str  # that holds most of its volumes; "" without volumes


@dataclass(frozen=True)
class FoundFileset:
    """The content of a fileset as ``Fileset`` has it, as far as it can be expressed so."""

    name: str
    include: list[dict[str, str]]
    exclude: list[str]
    options: dict[str, bool | int]


@dataclass(frozen=True)
class FoundClient:
    """``fileset`` and ``pool`` are those of its newest backup, else of its job; "" for none."""

    name: str
    ip: str
    port: int
    system: str
    fileset: str
    pool: str


@dataclass(frozen=True)
class NotAdopted:
    """Something that cannot be adopted; ``reason`` is a sentence that names it."""

    reason: str


Found = FoundStorage | FoundPool | FoundFileset | FoundClient | NotAdopted


@dataclass(frozen=True, kw_only=True)
class FoundJob:
    """A job that the engine has, in the terms of ``Job``."""

    number: int  # the engine's, for ``Job.engine_job_id``
    client: str
    fileset: str
    pool: str
    name: str
    type: str  # of Job.Type; "" for an unsupported one
    level: str | None
    status: str  # of Job.Status; "" while it waits to begin, and for an unknown one
    created: dt.datetime | None
    started: dt.datetime | None
    ended: dt.datetime | None
    files: int
    bytes: int
    stored_bytes: int
    errors: int
    message: str
    sources: Sequence[int]  # numbers of what a good backup consists of, oldest first, itself last
    was_started_here: bool  # by this service, which need not have recorded it
    is_scheduled_here: bool  # started by a schedule of this service, which therefore removes it
    is_purged: bool  # its files can no longer be read
    unsupported: str = ""  # why it cannot be adopted, to follow "2 jobs of client 'x': "
    remark: str = ""  # what is lost by adopting it, in the same form

    @property
    def has_ended(self) -> bool:
        return self.status not in ("", Job.Status.RUNNING)


@dataclass(frozen=True)
class FoundLine:
    """A line of a job's log."""

    number: int
    time: dt.datetime | None
    level: str
    message: str


class AdoptionMixin:
    """Reports what an installation had before this service and what others start in it."""

    def name_of(self, record: Client | Fileset | Pool | Storage) -> str:
        """Return what the engine calls a record."""
        return record.engine_name or record.name

    def inventory(self, clients: Collection[str] = ()) -> Iterator[Found]:
        """Yield what the engine had before this service, for ``jobs.adoption`` to record.

        ``clients`` are names in the engine; none are all. What others refer to comes first.
        """
        return iter(())

    def planned_runs(self, client: Client) -> PlannedRuns:
        """Return the next backups of a client that its installation starts, the next one first.

        Raises EngineError, as while it is unreachable.
        """
        return PlannedRuns()

    def job_history(self, clients: Mapping[str, Client]) -> Iterator[Sequence[FoundJob]]:
        """Yield all jobs of clients, given by ``name_of``, in batches by ascending number."""
        return iter(())

    def foreign_jobs(self, clients: Mapping[str, Client], after: int) -> list[int]:
        """Return the numbers above one of jobs of these clients that others started.

        Called every few seconds, so it need not look at more than the newest.
        """
        return []

    def find_jobs(
        self, clients: Mapping[str, Client], numbers: Iterable[int]
    ) -> Iterator[FoundJob]:
        """Yield those of some jobs that are of these clients and can be adopted, oldest first."""
        return iter(())

    def existing_jobs(self, numbers: Collection[int]) -> set[int]:
        """Return those of these numbers whose jobs the engine still has."""
        return set(numbers)

    def count_jobs(self) -> Sequence[tuple[str, int]]:
        """Return how many jobs each client has, by the engine's names."""
        return []

    def job_log(self, job: Job) -> Sequence[FoundLine]:
        """Return the log of a job that ended before it was known here; raises EngineError."""
        return []
