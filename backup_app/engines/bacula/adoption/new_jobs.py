"""Jobs that others start in Bacula, as they appear."""

from collections.abc import Iterable, Iterator

from django.db import IntegrityError, transaction
from django.db.models import Max

from ....jobs import tasks
from ....models import Client, Job
from ..catalog import job_history
from ..catalog.chains import Chains, Link
from ..catalog.records import JobRow
from . import jobs as adopted_jobs
from .jobs import Known, has_ended, known_ids, runs

LOOK_BACK = 1000  # jobs, of which one may still wait until another one of its client has ended
MOST = 10_000  # jobs; what was missed before is for sync_bacula
AT_ONCE = 100


def adopt_jobs(engine) -> int:
    """Make jobs of the backups and restores of known clients that others started; return how many.

    One that runs becomes a running job, which is looked after as our own are; while another one of
    its client keeps it from that, it waits. Several workers may do this at once. Raises
    EngineUnreachable and EngineError.
    """
    known = Known(engine, _clients(engine))
    stored = 0
    for row in _missing(engine, known):
        stored += _adopt(engine, known, row)
        if stored >= AT_ONCE:
            break
    return stored


def adopt_these(engine, job_ids: Iterable[int]) -> None:
    """Make jobs of those with these numbers in Bacula, however old they are.

    Only of known clients, and as far as their rules allow it.
    """
    known = Known(engine, _clients(engine))
    for row in engine.reader().jobs_by_id(job_ids).values():
        if row.client in known.clients and row.type in adopted_jobs.TYPES:
            _adopt(engine, known, row)


def _clients(engine):
    return Client.objects.present().filter(zone__engine=engine.alias)


def _missing(engine, known) -> Iterator[JobRow]:
    """Yield the jobs that are not here yet, oldest first."""
    job_ids = _missing_ids(engine, known) if known.clients else []
    for start in range(0, len(job_ids), AT_ONCE):
        rows = engine.reader().jobs_by_id(job_ids[start : start + AT_ONCE])
        yield from (rows[job_id] for job_id in sorted(rows))


def _missing_ids(engine, known):
    jobs = Job.objects.filter(engine=engine.alias).order_by()
    newest = jobs.aggregate(newest=Max("engine_job_id"))["newest"] or 0
    after = newest - LOOK_BACK
    found = job_history.foreign_ids(
        engine.reader(), known.clients, engine.prefix, after=after, most=MOST
    )
    there = jobs.filter(engine_job_id__gt=after).values_list("engine_job_id", flat=True)
    return sorted({*found} - {*there}) if found else []


def _adopt(engine, known, row: JobRow) -> int:
    """Store a job, and first those that it builds on; return how many were stored."""
    if not _may_appear(known.clients[row.client], row):
        return 0
    chain = _chain(engine, row)
    before = sum(_adopt(engine, known, each) for each in _unknown(engine, chain[:-1]))
    try:
        pk = _store(engine, known.job(row), chain)
    except IntegrityError:
        return before  # another worker was quicker, or has begun another job of the client
    if has_ended(row):
        tasks.conclude(pk)
    return before + 1


def _may_appear(client, row):
    """Say whether our rules for a client's jobs allow this one now."""
    if has_ended(row):
        return True
    # Of one that waits for its turn, Bacula has not noted yet what it is of.
    is_of_something = row.type != "B" or row.fileset
    return bool(runs(row) and is_of_something) and not client.jobs.open().exists()


def _chain(engine, row) -> list[Link]:
    """Return what a good backup consists of, [] for any other job."""
    chains, chain = Chains(), []
    if has_ended(row):
        for each in job_history.up_to(engine.reader(), row):
            chain = chains.add(each)
    return chain


def _unknown(engine, chain):
    job_ids = [link.job_id for link in chain]
    there = known_ids(engine, job_ids)
    rows = engine.reader().jobs_by_id(set(job_ids) - there.keys())
    return [rows[job_id] for job_id in sorted(rows)]


@transaction.atomic
def _store(engine, job, chain) -> int:
    pk = adopted_jobs.insert(engine, [job])[job.engine_job_id]
    there = known_ids(engine, [link.job_id for link in chain])
    adopted_jobs.link({pk: [there[link.job_id] for link in chain if link.job_id in there]})
    return pk
