"""Rows of Bacula's catalog: jobs and their logs.

The catalog's times are local ones of the Director's host, without a zone.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from .connection import Reader, text

# The letters of a job's status. The catalog's table ``status`` has no 'W', which is that of a job
# that ended with warnings (jcr.h): the Director's own queries count it among the good ones.
GOOD = frozenset("TW")
CANCELED = "A"
ENDED = GOOD | frozenset("AEefID")
RUNNING = frozenset("CRBFSMmsjcdtpaiLlq")
# Clocks have whole seconds, and several daemons write one log.
SLACK = dt.timedelta(minutes=1)
MAX_ID = 2**31 - 1  # of all but files
MAX_FILE_ID = 2**63 - 1


@dataclass(frozen=True)
class JobRow:
    """A job of Bacula; type, level and status are its letters."""

    job_id: int
    name: str
    type: str
    level: str
    status: str
    client: str
    fileset: str
    pool: str
    comment: str
    created: dt.datetime | None
    started: dt.datetime | None
    ended: dt.datetime | None
    files: int
    bytes: int  # that were stored
    read_bytes: int  # on the client; 0 of a restore
    errors: int
    is_purged: bool  # of its files
    has_cache: bool  # of the folders above its own

    @property
    def is_good(self) -> bool:
        """Whether it has content that others may build on."""
        return self.status in GOOD

    @property
    def has_ended(self) -> bool:
        return self.status in ENDED


@dataclass(frozen=True)
class LogLine:
    log_id: int
    time: dt.datetime | None
    text: str


JOBS = f"""
SELECT j.jobid, {text("j.name")}, j.type, j.level, j.jobstatus, {text("c.name")},
    {text("fs.fileset")}, {text("p.name")}, {text("j.comment")}, j.schedtime, j.starttime,
    j.endtime, j.jobfiles, j.jobbytes, j.readbytes, j.joberrors, j.purgedfiles <> 0,
    j.hascache = 1, j.jobtdate
FROM job j LEFT JOIN client c USING (clientid) LEFT JOIN fileset fs USING (filesetid)
    LEFT JOIN pool p ON p.poolid = j.poolid
"""


class Catalog(Reader):
    """The catalog of an alias in DATABASES; its local times are in the Director's zone.

    Every method raises EngineUnreachable and EngineError.
    """

    def __init__(self, alias: str, zone: dt.tzinfo, seconds: int = 30) -> None:
        super().__init__(alias, seconds)
        self.zone = zone

    def job(self, job_id: int | None) -> JobRow | None:
        """Return the job with a number, None if there is none."""
        return self.jobs_by_id([job_id]).get(job_id) if job_id else None

    def jobs_by_id(self, job_ids: Iterable[int | None]) -> dict[int, JobRow]:
        """Return those that exist of these jobs."""
        wanted = [job_id for job_id in job_ids if job_id and is_id(job_id)]
        return {row.job_id: row for row in self.jobs("WHERE j.jobid = ANY(%s)", [wanted])}

    def ended(self, job_ids: Sequence[int]) -> list[int]:
        """Return those of these jobs that have ended, however they did."""
        query = "SELECT jobid FROM job WHERE jobid = ANY(%s) AND jobstatus = ANY(%s)"
        return [job_id for (job_id,) in self.rows(query, [list(job_ids), sorted(ENDED)])]

    def log_after(
        self, job_id: int | None, log_id: int = 0, since: dt.datetime | None = None
    ) -> list[LogLine]:
        """Return the lines of a job's log after a line.

        ``since`` is the time of that line, which tells apart the hour that autumn has twice.
        """
        query = f"""
            SELECT logid, time, {text("logtext")} FROM log
            WHERE jobid = %s AND logid > %s ORDER BY logid"""
        lines = []
        for number, time, words in self.rows(query, [job_id, log_id]):
            since = aware(time, self.zone, after=since)
            lines.append(LogLine(number, since, _decoded(words)))
        return lines

    def unames(self) -> dict[str, str]:
        """Return what file daemons run on, by their clients; "" until one was contacted."""
        query = f"SELECT {text('name')}, {text('uname')} FROM client"
        return {_decoded(name): _decoded(uname) for name, uname in self.rows(query)}

    def retentions(self) -> dict[str, int]:
        """Return how many seconds the volumes of pools are kept, by pool."""
        query = f"SELECT {text('name')}, volretention FROM pool"
        return {_decoded(name): seconds for name, seconds in self.rows(query)}

    def jobs(self, condition: str, parameters: Sequence[Any]) -> list[JobRow]:
        """Return the jobs ``j`` of clients ``c`` and filesets ``fs`` that SQL asks for."""
        return [self._job(*_plain(row)) for row in self.rows(JOBS + condition, parameters)]

    def _job(self, *values: Any) -> JobRow:
        # In the order of JOBS and of JobRow's fields.
        words = [word or "" for word in values[1:9]]
        counts = [count or 0 for count in values[12:16]]
        started, ended = times_of_job(values[10], values[11], values[18], self.zone)
        created = aware(values[9], self.zone, before=started)
        flags = bool(values[16]), bool(values[17])
        fields: list[Any] = [values[0], *words, created, started, ended, *counts, *flags]
        return JobRow(*fields)


def is_id(number: int, highest: int = MAX_ID) -> bool:
    """Return whether the catalog could have given this number."""
    return 0 < number <= highest


def _decoded(data: bytes | None) -> str:
    return (data or b"").decode(errors="replace")


def _plain(row: Sequence[Any]) -> list[Any]:
    return [_decoded(value) if isinstance(value, bytes) else value for value in row]


def aware(
    wall: dt.datetime | None,
    zone: dt.tzinfo,
    *,
    after: dt.datetime | None = None,
    before: dt.datetime | None = None,
) -> dt.datetime | None:
    """Return a time in UTC; None for none.

    In the hour that the clock shows twice in autumn, this is the first time not before ``after``,
    or the last one not after ``before``; without either the first.
    """
    if wall is None:
        return None
    # In UTC, since Python compares times of the same zone by their wall times.
    first, second = sorted(
        wall.replace(tzinfo=zone, fold=fold).astimezone(dt.UTC) for fold in (0, 1)
    )
    is_second = (after and first + SLACK < after <= second + SLACK) or (before and second <= before)
    return second if is_second else first


def times_of_job(
    started: dt.datetime | None,
    ended: dt.datetime | None,
    jobtdate: int | None,
    zone: dt.tzinfo,
) -> tuple[dt.datetime | None, dt.datetime | None]:
    """Return when a job started and ended.

    Its JobTDate is in seconds since 1970: of the start while it runs, and then of its end.
    """
    exact = dt.datetime.fromtimestamp(jobtdate, dt.UTC) if jobtdate else None
    wall = exact and exact.astimezone(zone).replace(tzinfo=None, fold=0)
    end = exact if wall and wall == ended else aware(ended, zone)
    begin = exact if wall and wall == started else aware(started, zone, before=end)
    return begin, end
