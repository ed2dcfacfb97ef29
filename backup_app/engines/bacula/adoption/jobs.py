"""Bacula's jobs as values of ``engines.adoption``."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ....models import Client, Job
from ...adoption import FoundJob, FoundLine
from .. import names
from ..catalog import job_history
from ..catalog.chains import Chains
from ..catalog.job_log import Line
from ..catalog.records import RUNNING, JobRow
from ..names import Bacula

MAX_JOBS = 10_000  # newest jobs examined every few seconds; sync_bacula examines all
TYPES = {"B": Job.Type.BACKUP, "R": Job.Type.RESTORE}
LEVELS = {"F": Job.Level.FULL, "D": Job.Level.DIFFERENTIAL, "I": Job.Level.INCREMENTAL}
STATUSES = {
    "T": Job.Status.COMPLETED,
    "W": Job.Status.WARNINGS,
    "A": Job.Status.CANCELED,
    "E": Job.Status.FAILED,
    "e": Job.Status.FAILED,
    "f": Job.Status.FAILED,
    "I": Job.Status.FAILED,
    "D": Job.Status.FAILED,
}
MESSAGES = {
    "A": "The job was canceled in Bacula.",
    "E": "The job ended with errors in Bacula.",
    "e": "The job ended with an error in Bacula.",
    "f": "The job ended with a fatal error in Bacula.",
    "I": "The job ended incomplete in Bacula.",
    "D": "The job found differences in Bacula.",
}


def history(engine: Bacula, clients: Mapping[str, Client]) -> Iterator[Sequence[FoundJob]]:
    """Yield all jobs of clients in batches; see ``Engine.job_history``."""
    chains = Chains()
    for rows in job_history.batches(engine.reader(), clients):
        yield [
            _found(engine, clients[row.client], row, [link.job_id for link in chains.add(row)])
            for row in rows
        ]


def foreign_jobs(engine: Bacula, clients: Mapping[str, Client], after: int) -> list[int]:
    """Return the numbers of the newest jobs that others started; see ``Engine.foreign_jobs``."""
    return job_history.foreign_ids(
        engine.reader(), clients, engine.prefix, after=after, most=MAX_JOBS
    )


def find_jobs(
    engine: Bacula, clients: Mapping[str, Client], numbers: Iterable[int]
) -> Iterator[FoundJob]:
    """Yield those of some jobs that can be adopted; see ``Engine.find_jobs``."""
    rows = engine.reader().jobs_by_id(numbers)
    for row in (rows[number] for number in sorted(rows)):
        if row.client in clients and row.type in TYPES:
            yield _found(engine, clients[row.client], row, _sources(engine, row))


def log(engine: Bacula, job: Job) -> list[FoundLine]:
    """Return the log of a job in Bacula."""
    found = []
    for row in engine.reader().log_after(job.engine_job_id):
        line = Line.read(row.text)
        found.append(FoundLine(row.log_id, row.time, line.level, str(line)))
    return found


def _sources(engine: Bacula, row: JobRow) -> list[int]:
    """Return the numbers of the jobs that a good backup consists of, [] for any other job."""
    chains, chain = Chains(), []
    if row.has_ended:
        for each in job_history.up_to(engine.reader(), row):
            chain = chains.add(each)
    return [link.job_id for link in chain]


def _found(engine: Bacula, client: Client, row: JobRow, sources: Sequence[int]) -> FoundJob:
    is_backup = row.type == "B"
    return FoundJob(
        number=row.job_id,
        client=row.client,
        fileset=row.fileset,
        pool=row.pool,
        name=row.name,
        type=TYPES.get(row.type, ""),
        level=LEVELS.get(row.level) if is_backup else None,
        status=_status(row),
        created=row.created,
        started=row.started,
        ended=max(filter(None, [row.ended, row.started]), default=None),
        files=max(row.files, 0),
        bytes=max(row.read_bytes or row.bytes, 0),
        stored_bytes=max(row.bytes, 0) if is_backup else 0,
        errors=max(row.errors, 0),
        message=MESSAGES.get(row.status, ""),
        sources=sources,
        was_started_here=row.comment.startswith(engine.prefix),
        is_scheduled_here=row.name == names.for_client(engine, "backup", client),
        is_purged=row.is_purged,
        unsupported=_unsupported(row),
        remark=f"level '{row.level}' is not supported" if row.level not in LEVELS else "",
    )


def _status(row: JobRow) -> str:
    if row.has_ended:
        has_warnings = row.status == "T" and row.errors
        return Job.Status.WARNINGS if has_warnings else STATUSES[row.status]
    # Bacula records the fileset of a backup only when the backup begins.
    is_waiting = row.type == "B" and not row.fileset
    return Job.Status.RUNNING if row.status in RUNNING and not is_waiting else ""


def _unsupported(row: JobRow) -> str:
    if row.type not in TYPES:
        return f"type '{row.type}' is not supported, left out"
    if not row.has_ended and row.status not in RUNNING:
        return f"status '{row.status}' is unknown, left out"
    return ""
