"""What an engine reports of an installation that was there before this service.

Plain values with the engine's own names. ``services.adoption`` and ``jobs.adoption`` make records
of them.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from ..models import Job


@dataclass(frozen=True)
class FoundStorage:
    name: str


@dataclass(frozen=True)
class FoundPool:
    name: str
    retention_days: int
    storage: str  # that has most of its volumes; "" without volumes


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
class LeftOut:
    """Something that cannot be adopted; ``reason`` is a sentence that names it."""

    reason: str


Found = FoundStorage | FoundPool | FoundFileset | FoundClient | LeftOut


@dataclass(frozen=True, kw_only=True)
class FoundJob:
    """A job that the engine has, in the terms of ``Job``."""

    number: int  # the engine's, for ``Job.engine_job_id``
    client: str
    fileset: str
    pool: str
    name: str
    type: str  # of Job.Type; "" for a kind that this service does not have
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
    remark: str = ""  # what gets lost when it is adopted, in the same form

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
