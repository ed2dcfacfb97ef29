"""What Bacula's catalog knows of jobs, their logs, and what they were made with."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from . import timestamps
from .connection import Reader, text

# The letters of a job's status. The catalog's table ``status`` has no 'W', which is that of a job
# that ended with warnings (jcr.h): the Director's own queries count it among the good ones.
GOOD = frozenset("TW")
CANCELED = "A"
ENDED = GOOD | frozenset("AEefID")
RUNNING = frozenset("CRBFSMmsjcdtpaiLlq")
MAX_ID = 2**31 - 1  # of all but files
MAX_FILE_ID = 2**63 - 1


@dataclass(frozen=True)
class JobRow:
    """A job of Bacula, in its letters."""

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
    time: dt.datetime
    text: str


@dataclass(frozen=True)
class ClientRow:
    client_id: int
    name: str
    uname: str  # "" until its file daemon has been spoken to
    file_retention: int  # seconds
    job_retention: int


@dataclass(frozen=True)
class FilesetRow:
    fileset_id: int
    name: str
    md5: str


@dataclass(frozen=True)
class PoolRow:
    pool_id: int
    name: str
    type: str
    retention: int  # seconds
    max_volumes: int
    max_volume_jobs: int
    max_volume_bytes: int
    label_format: str


@dataclass(frozen=True)
class VolumeRow:
    media_id: int
    name: str
    pool: str
    media_type: str
    status: str
    bytes: int
    jobs: int  # how many have something on it


JOBS = f"""
SELECT j.jobid, {text("j.name")}, j.type, j.level, j.jobstatus, {text("c.name")},
    {text("fs.fileset")}, {text("p.name")}, {text("j.comment")}, j.schedtime, j.starttime,
    j.endtime, j.jobfiles, j.jobbytes, j.readbytes, j.joberrors, j.purgedfiles <> 0,
    j.hascache = 1, j.jobtdate
FROM job j LEFT JOIN client c USING (clientid) LEFT JOIN fileset fs USING (filesetid)
    LEFT JOIN pool p ON p.poolid = j.poolid
"""
VOLUMES = f"""
SELECT m.mediaid, {text("m.volumename")}, {text("p.name")}, {text("m.mediatype")},
    {text("m.volstatus")}, m.volbytes,
    (SELECT count(DISTINCT jm.jobid) FROM jobmedia jm WHERE jm.mediaid = m.mediaid)
FROM media m LEFT JOIN pool p USING (poolid)
"""


class Catalog(Reader):
    """The catalog of an alias in DATABASES; its local times are in the Director's zone.

    Every method raises EngineUnreachable and EngineError.
    """

    def __init__(self, alias: str, zone: dt.tzinfo, seconds: int = 30):
        super().__init__(alias, seconds)
        self.zone = zone

    def job(self, job_id: int) -> JobRow | None:
        """Return a job, None where there is none with this number."""
        return self.jobs_by_id([job_id]).get(job_id)

    def jobs_by_id(self, job_ids: Iterable[int]) -> dict[int, JobRow]:
        """Return those that exist of these jobs."""
        wanted = [job_id for job_id in job_ids if is_id(job_id)]
        return {row.job_id: row for row in self.jobs("WHERE j.jobid = ANY(%s)", [wanted])}

    def job_with_comment(self, comment: str) -> JobRow | None:
        """Return the newest job that was started with a comment."""
        # Without an index: from the newest back, where what is asked for is.
        found = self.jobs("WHERE j.comment = %s ORDER BY j.jobid DESC LIMIT 1", [comment])
        return found[0] if found else None

    def jobs_after(self, job_id: int, limit: int) -> list[JobRow]:
        """Return the next jobs after a number, of whatever kind and state."""
        return self.jobs("WHERE j.jobid > %s ORDER BY j.jobid LIMIT %s", [job_id, limit])

    def log_after(
        self, job_id: int, log_id: int = 0, since: dt.datetime | None = None
    ) -> list[LogLine]:
        """Return the lines of a job's log after one, whose time tells one hour in autumn apart."""
        query = f"""
            SELECT logid, time, {text("logtext")} FROM log
            WHERE jobid = %s AND logid > %s ORDER BY logid"""
        lines = []
        for number, time, words in self.rows(query, [job_id, log_id]):
            since = timestamps.aware(time, self.zone, after=since)
            lines.append(LogLine(number, since, _decoded(words)))
        return lines

    def clients(self) -> list[ClientRow]:
        """Return all clients, by their numbers."""
        query = f"""
            SELECT clientid, {text("name")}, {text("uname")}, fileretention, jobretention
            FROM client ORDER BY clientid"""
        return [ClientRow(*_plain(row)) for row in self.rows(query)]

    def filesets(self) -> list[FilesetRow]:
        """Return the newest of each name, by their numbers."""
        query = f"""
            SELECT max(filesetid) AS number, {text("fileset")},
                (array_agg({text("md5")} ORDER BY filesetid DESC))[1]
            FROM fileset GROUP BY fileset ORDER BY number"""
        return [FilesetRow(*_plain(row)) for row in self.rows(query)]

    def pools(self) -> list[PoolRow]:
        """Return all pools, by their numbers."""
        query = f"""
            SELECT poolid, {text("name")}, {text("pooltype")}, volretention, maxvols, maxvoljobs,
                maxvolbytes, {text("labelformat")}
            FROM pool ORDER BY poolid"""
        return [PoolRow(*_plain(row)) for row in self.rows(query)]

    def storages(self) -> list[str]:
        """Return the names of all storages that were ever used."""
        query = f"SELECT {text('name')} FROM storage ORDER BY storageid"
        return [_decoded(name) for (name,) in self.rows(query)]

    def volumes_of(self, job_id: int) -> list[VolumeRow]:
        """Return the volumes that a job wrote to, in that order."""
        query = f"""
            {VOLUMES} JOIN (
                SELECT mediaid, min(jobmediaid) AS place FROM jobmedia WHERE jobid = %s
                GROUP BY mediaid
            ) used USING (mediaid) ORDER BY used.place"""
        return [VolumeRow(*_plain(row)) for row in self.rows(query, [job_id])]

    def volumes_in(self, pool: str) -> list[VolumeRow]:
        """Return the volumes of a pool, by their numbers."""
        query = f"{VOLUMES} WHERE p.name = %s ORDER BY m.mediaid"
        return [VolumeRow(*_plain(row)) for row in self.rows(query, [pool])]

    def jobs(self, condition: str, parameters: Sequence[Any]) -> list[JobRow]:
        """Return the jobs ``j`` of clients ``c`` and filesets ``fs`` that SQL asks for."""
        return [self._job(*_plain(row)) for row in self.rows(JOBS + condition, parameters)]

    def _job(self, *values) -> JobRow:
        number, *words, created, started, ended = values[:12]
        *counts, purged, cached, exact = values[12:]
        started, ended = timestamps.of_job(started, ended, exact, self.zone)
        created = timestamps.aware(created, self.zone, before=started)
        times = created, started, ended
        counts = [value or 0 for value in counts]
        words = [word or "" for word in words]
        return JobRow(number, *words, *times, *counts, bool(purged), bool(cached))


def is_id(number: int, highest: int = MAX_ID) -> bool:
    """Say whether the catalog could have given this number."""
    return 0 < number <= highest


def _decoded(data: bytes | None) -> str:
    return (data or b"").decode(errors="replace")


def _plain(row: Sequence[Any]) -> list[Any]:
    return [_decoded(value) if isinstance(value, bytes) else value for value in row]
