"""Jobs of an engine as records of this service."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from django.db import connection
from django.db.models import F, OuterRef, QuerySet, Subquery
from django.utils import timezone

from ...engines.adoption import FoundJob
from ...engines.base import Engine
from ...lib.bulk import insert_rows
from ...models import Client, Fileset, Job, JobSource, Pool
from ...models.job import GOOD

FIELDS = [field for field in Job._meta.local_concrete_fields if not field.primary_key]


class Known:
    """This service's records of what an engine's jobs refer to.

    ``clients`` are by their names in the engine; filesets and pools are those of their accounts.
    """

    def __init__(self, engine: Engine, clients: Iterable[Client]):
        self.engine = engine
        self.clients: Mapping[str, Client] = {engine.name_of(client): client for client in clients}
        self._accounts = {client.account_id for client in self.clients.values()}

    @cached_property
    def _filesets(self) -> dict[tuple[int, str], Fileset]:
        found = Fileset.objects.filter(account__in=self._accounts)
        return {(each.account_id, self.engine.name_of(each)): each for each in found}

    @cached_property
    def _pools(self) -> dict[tuple[int, str], Pool]:
        found = Pool.objects.filter(storage__zone__engine=self.engine.alias)
        found = found.filter(account__in=self._accounts)
        return {(each.account_id, self.engine.name_of(each)): each for each in found}

    def load(self) -> None:
        """Read everything at once, instead of when it is first needed."""
        _ = self._filesets, self._pools

    def job(self, found: FoundJob) -> Job:
        """Return an unsaved record of a job."""
        client = self.clients[found.client]
        pool = self._pools.get((client.account_id, found.pool))
        state = {"adopted": not found.is_scheduled_here}
        return Job(
            account_id=client.account_id,
            client=client,
            name=found.name,
            type=found.type,
            level=found.level,
            engine=self.engine.alias,
            engine_job_id=found.number,
            engine_state=state | ({"purged": True} if found.is_purged else {}),
            fileset=self._filesets.get((client.account_id, found.fileset)),
            pool=pool,
            storage_id=pool.storage_id if pool else None,
            requested_by=self.engine.name,
            created=found.created or found.started or found.ended or timezone.now(),
            started=found.started,
            **(_end(found) if found.has_ended else {"status": found.status}),
        )


def known_ids(engine: Engine, numbers: Collection[int]) -> dict[int, int]:
    """Return the primary keys of the jobs that are here, by the engine's numbers."""
    return _by_number(Job.objects.filter(engine=engine.alias, engine_job_id__in=numbers))


def known_between(engine: Engine, first: int, last: int) -> dict[int, int]:
    """Return the same for a range of numbers, which is faster than one by one."""
    return _by_number(Job.objects.filter(engine=engine.alias, engine_job_id__range=(first, last)))


def _by_number(jobs: QuerySet[Job]) -> dict[int, int]:
    pairs = jobs.order_by().values_list("engine_job_id", "pk")
    return {number: pk for number, pk in pairs if number is not None}


def insert(engine: Engine, jobs: Sequence[Job]) -> dict[int, int]:
    """Store new jobs; return primary keys by the engine's numbers, also of others between them.

    Raises IntegrityError.
    """
    if not jobs:
        return {}
    insert_rows(Job, [field.attname for field in FIELDS], map(_values, jobs))
    numbers = [job.engine_job_id or 0 for job in jobs]
    return known_between(engine, min(numbers), max(numbers))


def link(sources: Mapping[int, Collection[int]]) -> None:
    """Store what backups consist of, all by primary keys; each is its own last source."""
    pairs = ((job, source) for job, found in sources.items() for source in found)
    insert_rows(JobSource, ["job_id", "source_id"], pairs)
    before = JobSource.objects.filter(job=OuterRef("pk"), source__lt=F("job")).order_by(
        "-source_id"
    )
    longer = [job for job, found in sources.items() if len(found) > 1]
    Job.objects.filter(pk__in=longer).update(parent=Subquery(before.values("source")[:1]))


def correct(engine: Engine, found: Iterable[FoundJob]) -> list[int]:
    """Correct adopted jobs that failed only here; return the engine's numbers of them.

    As after a time in which the engine could not be asked how they ended.
    """
    good = {each.number: each for each in found if each.status in GOOD}
    if not good:
        return []
    adopted = Job.objects.filter(engine=engine.alias, engine_state__adopted=True)
    wrong = adopted.filter(
        engine_job_id__range=(min(good), max(good)),
        status__in=[Job.Status.FAILED, Job.Status.CANCELED],
    )
    mended = {number: pk for number, pk in _by_number(wrong).items() if number in good}
    for number, pk in mended.items():
        JobSource.objects.filter(job=pk).delete()
        Job.objects.filter(pk=pk).update(**_end(good[number]))
    return list(mended)


def correct_times(engine: Engine, found: Iterable[FoundJob]) -> None:
    """Give jobs that have ended here the times at which they ran in the engine.

    Versions before recorded when this service learned of it.
    """
    ran = {each.number: (each.started, each.ended) for each in found if each.started and each.ended}
    if not ran:
        return
    numbers = min(ran), max(ran)
    jobs = Job.objects.filter(
        engine=engine.alias, engine_job_id__range=numbers, ended__isnull=False
    )
    wrong = [
        job
        for job in jobs.only("engine_job_id", "started", "ended")
        if (job.started, job.ended) != ran.get(job.engine_job_id or 0, (job.started, job.ended))
    ]
    for job in wrong:
        job.started, job.ended = ran[job.engine_job_id or 0]
    Job.objects.bulk_update(wrong, ["started", "ended"], batch_size=200)


def _end(found: FoundJob) -> dict[str, Any]:
    return {
        "status": found.status,
        "ended": found.ended,
        "files": found.files,
        "files_done": found.files,
        "bytes": found.bytes,
        "bytes_done": found.bytes,
        "stored_bytes": found.stored_bytes,
        "errors": found.errors,
        "message": found.message,
    }


def _values(job: Job) -> list[Any]:
    return [field.get_db_prep_save(getattr(job, field.attname), connection) for field in FIELDS]
