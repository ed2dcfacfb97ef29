"""Starts and follows backups by Bacula."""

from ....exceptions import EngineError
from ....models import Job
from ...shared.job_parts import fileset_of, pool_of, storage_of
from ...values import Outcome, Run
from ..catalog.records import JobRow
from ..clients import databases
from ..config import provisioning
from ..director import follow, submit
from ..director.director import Director
from ..maintenance import removal
from ..names import Bacula
from . import sources


def back_up(engine: Bacula, run: Run) -> Outcome:
    """Back up what ``run.job`` says; see ``Engine.backup``.

    Raises Unfinished until Bacula has ended it.
    """
    run.tick()
    with follow.patience(engine, run), engine.director() as director:
        if run.job.engine_job_id is None:
            submit.begin(engine, run, lambda comment: _start(engine, director, run.job, comment))
        row = follow.follow(engine, director, run)
        follow.require_good(engine, row)
        _require_dumps(engine, run.job, row)
        _keep_level(run.job, row)
        sources.link(engine, director, run)
    return Outcome(
        files=row.files, bytes=row.read_bytes, stored_bytes=row.bytes, warnings=row.errors
    )


def _start(engine: Bacula, director: Director, job: Job, comment: str) -> int:
    removal.discard_left(engine, job.client)
    sources.note_base(job)
    uses = fileset_of(job), pool_of(job), storage_of(job)
    names = provisioning.prepare_backup(engine, job.client, *uses)
    return director.run(**names, level=job.level, comment=comment)


def _require_dumps(engine: Bacula, job: Job, row: JobRow) -> None:
    """Raise EngineError for a dump of a database that failed, of which Bacula only warns."""
    if not (job.fileset and job.fileset.databases):
        return
    if failed := databases.failed_dumps(follow.lines(engine, row)):
        raise EngineError(" ".join(failed))


def _keep_level(job: Job, row: JobRow) -> None:
    """Record the level that Bacula used: it makes the first backup of a client a full one."""
    level = follow.LEVELS.get(row.level, job.level)
    if level != job.level:
        job.level = level
        job.save(update_fields=["level"])
