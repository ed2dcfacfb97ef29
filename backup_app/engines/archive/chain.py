"""Which backups a new one builds on, and what their view holds."""

from collections.abc import Callable, Iterator
from pathlib import Path

from django.db import connection

from ...bulk import quoted
from ...models import Entry, Job, JobSource

PAGE = 5_000
KNOWN = "folder_id name kind size mtime_ns ctime_ns inode node_id".split()


def find_base(job: Job) -> Job | None:
    """Return the newest good backup that a job of its level can build on."""
    if job.level == Job.Level.FULL:
        return None
    jobs = Job.objects.backups().good().filter(client=job.client_id, fileset=job.fileset_id)
    jobs = jobs.filter(engine=job.engine, id__lt=job.pk)
    if job.level == Job.Level.DIFFERENTIAL:
        jobs = jobs.filter(level=Job.Level.FULL)
    return jobs.order_by("-id").first()


def missing_volume(base: Job) -> Path | None:
    """Return the first volume of a view that is not where it belongs."""
    for source in base.sources.select_related("volume", "storage").order_by("id"):
        if not hasattr(source, "volume"):
            return Path(source.storage.path) / "volumes" / str(source.client_id) / str(source.pk)
        path = Path(source.storage.path) / source.volume.path
        if not path.exists():
            return path
    return None


def known_rows(base: Job, tick: Callable[[], None]) -> Iterator[list[tuple]]:
    """Yield pages of ``KNOWN`` values of all that a view consists of, the newest last.

    Gone entries are among them. Between two pages nothing of the database is kept open.
    """
    table, columns = quoted(Entry, [*KNOWN, "id"])
    query = f"SELECT {columns} FROM {table} WHERE job_id = %s AND id > %s ORDER BY id LIMIT {PAGE}"  # noqa: S608
    for source in base.sources.order_by("id").values_list("pk", flat=True):
        last = 0
        while True:
            with connection.cursor() as cursor:
                cursor.execute(query, (source, last))
                rows = cursor.fetchall()
            tick()
            if not rows:
                break
            last = rows[-1][-1]
            yield [row[:-1] for row in rows]


def sources(job: Job, base: Job | None) -> list[int]:
    """Return the IDs of the jobs that the view of a job consists of, itself the last."""
    earlier = base.sources.order_by("id").values_list("pk", flat=True) if base else []
    return [*earlier, job.pk]


def link_sources(job: Job, sources: list[int]) -> None:
    """Record what the view of a job consists of."""
    JobSource.objects.bulk_create(JobSource(job=job, source_id=source) for source in sources)
