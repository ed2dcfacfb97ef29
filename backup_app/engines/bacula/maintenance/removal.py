"""Removes jobs in Bacula, and frees the space of their volumes."""

import logging
import time
from collections.abc import Callable

from ....exceptions import EngineError
from ....models import Client, Job
from ....models.job import GOOD, OPEN
from ...shared.removal import delete_job
from .. import names
from ..catalog.records import JobRow
from ..director import follow, submit
from ..director.director import Director
from ..extraction.cache import DownloadCache
from ..names import Bacula
from . import volumes

CANCEL_SECONDS = 15  # that a job may take to end
RECENT = 1000  # newest jobs that are searched for leftovers each time
REPORT_SECONDS = 5  # that its last lines may take then

logger = logging.getLogger(__name__)


def remove(engine: Bacula, job: Job) -> None:
    """Delete a backup here, then in Bacula, and empty the volumes that held nothing else.

    One that others started in Bacula stays there, for them to keep as long as they like. Raises
    WrongState while another job needs it, and EngineError when something stays in Bacula. While
    the Director or its catalog is unreachable nothing is deleted.
    """
    pool = names.of(engine, job.pool) if job.pool else ""
    pk = job.pk
    if is_ours(job):
        _require_there(engine, job)
    delete_job(job)
    DownloadCache(engine.alias).remove(pk)
    if job.engine_job_id and is_ours(job):
        with engine.director() as director:
            delete(engine, director, job.engine_job_id)
            _free_left(engine, director, pool)


def discard(engine: Bacula, job: Job) -> None:
    """Remove what a job that did not succeed has in Bacula, canceling it if it still runs.

    While the Director is unreachable, that is left to ``discard_left``. Jobs of others stay.
    """
    # A job that failed here may have succeeded in Bacula, and good backups may build on it.
    if job.engine_state.get("adopted") or Job.objects.needing(job).good().exists():
        return
    try:
        _discard(engine, job)
        left = False
    except EngineError as e:
        logger.warning("Bacula's data of job %s could not be removed: %s", job.pk, e)
        left = True
    if left != job.engine_state.get("left", False):
        job.engine_state["left"] = left
        follow.save(job)


def discard_left(engine: Bacula, client: Client) -> None:
    """Remove leftovers of a client's jobs, so that its next one does not build on them."""
    for job in client.jobs.backups().filter(engine=engine.alias, engine_state__left=True):
        if not job.is_good:
            discard(engine, job)


def discard_recent(engine: Bacula) -> None:
    """Remove the leftovers of newer jobs that ended while the Director was unreachable.

    A job that was canceled then may still run there. Raises EngineUnreachable if it still is.
    """
    jobs = Job.objects.filter(pk__in=Job.objects.order_by("-pk").values("pk")[:RECENT])
    left = jobs.filter(engine=engine.alias, engine_state__left=True).exclude(
        status__in=[*GOOD, *OPEN]
    )
    if found := list(left.order_by("pk")):
        with engine.director() as director:
            director.version()
        for job in found:
            discard(engine, job)


def is_ours(job: Job) -> bool:
    """Return whether this service started a job in Bacula."""
    return job.engine_job_id is not None and not job.engine_state.get("adopted")


def delete(engine: Bacula, director: Director, number: int) -> None:
    """Delete a job in Bacula, and empty the volumes that held nothing else."""
    freed = volumes.own_volumes(engine.reader(), number)
    director.delete_job(number)
    for volume in freed:
        volumes.free(director, volume)


def _require_there(engine: Bacula, job: Job) -> None:
    engine.reader().job(job.engine_job_id)
    with engine.director() as director:
        director.version()


def _discard(engine: Bacula, job: Job) -> None:
    row = engine.reader().job(submit.number_of(engine, job))
    if row is None:
        return
    with engine.director() as director:
        _end(engine, director, row)
        if job.type == Job.Type.BACKUP:
            delete(engine, director, row.job_id)


def _end(engine: Bacula, director: Director, row: JobRow) -> None:
    """Cancel a job and wait until it has ended; raises EngineError if it does not."""
    if not row.has_ended:
        director.cancel(row.job_id)
    if not _comes(CANCEL_SECONDS, lambda: _is_over(engine, row.job_id)):
        raise EngineError(f"Bacula did not stop its job {row.job_id}.")
    # Only then does the catalog have all that was written; after a crash there is no report.
    _comes(REPORT_SECONDS, lambda: any(line.is_report for line in follow.lines(engine, row)))


def _is_over(engine: Bacula, number: int) -> bool:
    row = engine.reader().job(number)
    return row is None or row.has_ended


def _comes(seconds: float, condition: Callable[[], bool]) -> bool:
    """Wait for a condition; return whether it was met."""
    deadline = time.monotonic() + seconds
    while not (has_come := condition()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return has_come


def _free_left(engine: Bacula, director: Director, pool: str) -> None:
    for volume in volumes.left_volumes(engine.reader(), pool):
        volumes.truncate(director, volume)
