"""Jobs of Bacula's as jobs of this service."""

from collections.abc import Collection, Iterable
from functools import cached_property

from django.db import connection
from django.db.models import F, OuterRef, Subquery
from django.utils import timezone

from ....lib.bulk import insert_rows
from ....models import Client, Fileset, Job, JobSource, Pool
from ....models.job import GOOD
from .. import names
from ..catalog.records import JobRow

BY = "bacula"  # whom an adopted job is requested by
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
RUNNING = frozenset("CRBFSmMsjcdtpiaLlq")
WORDS = {
    "A": "The job was canceled in Bacula.",
    "E": "The job ended with errors in Bacula.",
    "e": "The job ended with an error in Bacula.",
    "f": "The job ended with a fatal error in Bacula.",
    "I": "The job ended incomplete in Bacula.",
    "D": "The job found differences in Bacula.",
}
FIELDS = [field for field in Job._meta.local_concrete_fields if not field.primary_key]


class Known:
    """What this service has of the things that jobs of Bacula name.

    ``clients``, as a mapping from their names in Bacula, and the filesets and pools of their
    accounts.
    """

    def __init__(self, engine, clients: Iterable[Client]):
        self.engine = engine
        self.clients = {names.client(engine, client): client for client in clients}
        self._accounts = {client.account_id for client in self.clients.values()}

    @cached_property
    def _filesets(self):
        found = Fileset.objects.filter(account__in=self._accounts)
        return {(each.account_id, names.fileset(self.engine, each)): each for each in found}

    @cached_property
    def _pools(self):
        found = Pool.objects.filter(storage__zone__engine=self.engine.alias)
        found = found.filter(account__in=self._accounts)
        return {(each.account_id, names.pool(self.engine, each)): each for each in found}

    def load(self) -> None:
        """Read what is otherwise read when it is needed."""
        _ = self._filesets, self._pools

    def job(self, row: JobRow) -> Job:
        """Return a job as it is to be stored."""
        client = self.clients[row.client]
        fileset = self._filesets.get((client.account_id, row.fileset))
        pool = self._pools.get((client.account_id, row.pool))
        return Job(
            account_id=client.account_id,
            client=client,
            name=row.name,
            type=TYPES[row.type],
            level=LEVELS.get(row.level) if row.type == "B" else None,
            engine=self.engine.alias,
            engine_job_id=row.job_id,
            engine_state=self._state(row, client),
            fileset=fileset,
            pool=pool,
            storage_id=pool and pool.storage_id,
            requested_by=BY,
            created=row.created or row.started or row.ended or timezone.now(),
            started=row.started,
            **(_end(row) if has_ended(row) else {"status": Job.Status.RUNNING}),
        )

    def _state(self, row, client):
        # What the Director starts by our schedule is ours to remove: nobody else will.
        is_theirs = row.name != names.backup_job(self.engine, client)
        return {"adopted": is_theirs} | ({"purged": True} if row.is_purged else {})


def runs(row: JobRow) -> bool:
    return row.status in RUNNING


def has_ended(row: JobRow) -> bool:
    return row.status in STATUSES


def known_ids(engine, job_ids: Collection[int]) -> dict[int, int]:
    """Return our numbers of the jobs that are here already, by those of Bacula."""
    jobs = Job.objects.filter(engine=engine.alias, engine_job_id__in=job_ids)
    return dict(jobs.order_by().values_list("engine_job_id", "pk"))


def known_between(engine, first: int, last: int) -> dict[int, int]:
    """Return our numbers of the jobs in a range of Bacula's, which is quicker than one by one."""
    jobs = Job.objects.filter(engine=engine.alias, engine_job_id__range=(first, last))
    return dict(jobs.order_by().values_list("engine_job_id", "pk"))


def insert(engine, jobs: list[Job]) -> dict[int, int]:
    """Store new jobs; return our numbers of them and of others between them, by those of Bacula.

    Raises IntegrityError.
    """
    if not jobs:
        return {}
    insert_rows(Job, [field.attname for field in FIELDS], map(_values, jobs))
    numbers = [job.engine_job_id for job in jobs]
    return known_between(engine, min(numbers), max(numbers))


def link(sources: dict[int, list[int]]) -> None:
    """Store what backups consist of, by their numbers; each is its own last source."""
    pairs = ((job, source) for job, found in sources.items() for source in found)
    insert_rows(JobSource, ["job_id", "source_id"], pairs)
    before = JobSource.objects.filter(job=OuterRef("pk"), source__lt=F("job")).order_by(
        "-source_id"
    )
    longer = [job for job, found in sources.items() if len(found) > 1]
    Job.objects.filter(pk__in=longer).update(parent=Subquery(before.values("source")[:1]))


def corrected(engine, rows: Iterable[JobRow]) -> list[int]:
    """Return Bacula's numbers of adopted jobs that failed here only, once they are as there.

    As after a time in which Bacula could not be asked.
    """
    good = {row.job_id: row for row in rows if STATUSES[row.status] in GOOD}
    if not good:
        return []
    adopted = Job.objects.filter(engine=engine.alias, engine_state__adopted=True)
    wrong = adopted.filter(
        engine_job_id__range=(min(good), max(good)),
        status__in=[Job.Status.FAILED, Job.Status.CANCELED],
    )
    numbers = wrong.values_list("engine_job_id", "pk")
    found = {number: pk for number, pk in numbers if number in good}
    for number, pk in found.items():
        JobSource.objects.filter(job=pk).delete()
        Job.objects.filter(pk=pk).update(**_end(good[number]))
    return list(found)


def _end(row):
    status = STATUSES[row.status]
    if status == Job.Status.COMPLETED and row.errors:
        status = Job.Status.WARNINGS
    size = row.read_bytes or row.bytes
    return {
        "status": status,
        "ended": max(filter(None, [row.ended, row.started]), default=None),
        "files": max(row.files, 0),
        "files_done": max(row.files, 0),
        "bytes": max(size, 0),
        "bytes_done": max(size, 0),
        "stored_bytes": max(row.bytes, 0) if row.type == "B" else 0,
        "errors": max(row.errors, 0),
        "message": WORDS.get(row.status, ""),
    }


def _values(job):
    return [field.get_db_prep_save(getattr(job, field.attname), connection) for field in FIELDS]
