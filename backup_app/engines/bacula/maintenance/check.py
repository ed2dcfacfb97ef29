"""Compares this service's backups with Bacula's jobs."""

from collections.abc import Iterator

from ....exceptions import EngineError
from ....models import Job, Storage
from ...values import Problem
from .. import names
from ..catalog.records import JobRow
from ..director import submit
from ..names import Bacula
from . import removal, volumes

BATCH = 1000
OURS = "WHERE j.type = 'B' AND left(j.comment, %s) = %s AND p.name = ANY(%s) ORDER BY j.jobid"


def check_storage(engine: Bacula, storage: Storage, *, delete: bool = False) -> Iterator[Problem]:
    """Yield each backup in a storage that Bacula no longer has, and each that only Bacula has.

    And each volume that is free but has kept its space. With ``delete`` what only Bacula has is
    removed there, if this service began it, and space is got back.
    """
    yield from _lost(engine, storage)
    yield from _orphans(engine, storage, delete)
    yield from _left(engine, storage, delete)


def _lost(engine: Bacula, storage: Storage) -> Iterator[Problem]:
    backups = Job.objects.backups().good().filter(engine=engine.alias, storage=storage)
    last = 0
    while found := list(backups.filter(pk__gt=last).order_by("pk")[:BATCH]):
        rows = engine.reader().jobs_by_id([job.engine_job_id for job in found])
        for job in found:
            row = rows.get(job.engine_job_id or 0)
            if row is None or row.is_purged:
                yield _problem(job.engine_job_id, "Bacula has pruned it", job.pk)
        last = found[-1].pk


def _orphans(engine: Bacula, storage: Storage, delete: bool) -> Iterator[Problem]:
    start = f"{engine.prefix}job "
    pools = [names.of(engine, pool) for pool in storage.pools.all()]
    rows = engine.reader().jobs(OURS, [len(start), start, pools])
    numbers = [row.job_id for row in rows]
    jobs = Job.objects.filter(engine=engine.alias, engine_job_id__in=numbers)
    needed = {job.engine_job_id for job in jobs if job.is_open or job.is_good}
    # A job that has just been started may have a comment but no recorded number yet.
    begun = {submit.comment_of(engine, job) for job in Job.objects.open()}
    for row in rows:
        if not (row.job_id in needed or row.comment in begun) and row.has_ended:
            yield _removed(engine, row) if delete else _orphan(row)


def _left(engine: Bacula, storage: Storage, delete: bool) -> Iterator[Problem]:
    for pool in storage.pools.all():
        for volume in volumes.left_volumes(engine.reader(), names.of(engine, pool)):
            words = (
                _truncated(engine, volume) if delete else "It takes up space although it is purged."
            )
            yield Problem(f"volume {volume.name}", words)


def _truncated(engine: Bacula, volume: volumes.Volume) -> str:
    try:
        with engine.director() as director:
            volumes.truncate(director, volume)
    except EngineError as e:
        return str(e)
    return "It took up space although it was purged: it was truncated."


def _removed(engine: Bacula, row: JobRow) -> Problem:
    try:
        with engine.director() as director:
            removal.delete(engine, director, row.job_id)
    except EngineError as e:
        return _problem(row.job_id, f"it cannot be removed: {e}")
    return _problem(row.job_id, "no backup needs it: it was removed")


def _orphan(row: JobRow) -> Problem:
    return _problem(row.job_id, "no backup needs it")


def _problem(number: int | None, words: str, pk: int | None = None) -> Problem:
    return Problem(f"job {number}", f"Job {number} of Bacula: {words.rstrip('.')}.", pk)
