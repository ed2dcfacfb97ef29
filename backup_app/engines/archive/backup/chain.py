"""The backups that a new one builds on, and the content of their view."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db import connection
from django.db.models import Max, Min, QuerySet

from ....lib.bulk import quoted
from ....models import Entry, Job, JobSource
from ...shared.job_parts import storage_of
from ...values import Tick
from ..storage.layout import volume_fault, volume_name

PAGE = 5_000
KNOWN = "folder_id name kind size mtime_ns ctime_ns inode".split()


def find_base(job: Job) -> Job | None:
    """Return the newest good backup that a job of its level can build on."""
    if job.level == Job.Level.FULL:
        return None
    jobs = Job.objects.backups().good().filter(client=job.client_id, fileset=job.fileset_id)
    jobs = jobs.filter(engine=job.engine, id__lt=job.pk)
    if job.level == Job.Level.DIFFERENTIAL:
        jobs = jobs.filter(level=Job.Level.FULL)
    return jobs.order_by("-id").first()


def volume_faults(backups: QuerySet[Job]) -> Iterator[str]:
    """Yield a sentence for each of these backups whose volume is missing or has a wrong size."""
    for source in backups.select_related("volume__job__storage", "storage").order_by("id"):
        if not hasattr(source, "volume"):
            path = Path(storage_of(source).path, volume_name(source))
            yield f"The catalog has no volume '{path}' of backup {source.pk}."
        elif fault := volume_fault(source.volume):
            yield fault


def known_rows(base: Job, tick: Tick) -> Iterator[list[tuple[Any, ...]]]:
    """Yield pages of the ``KNOWN`` columns of a view's entries, in the order of its volumes.

    No query is open between two pages.
    """
    jobs = list(base.sources.order_by("id").values_list("pk", flat=True))
    for number, job in enumerate(jobs):
        query = known_query(jobs[number + 1 :])
        # By ranges of IDs, since reading each row's ID as well takes half as long again.
        ids = Entry.objects.filter(job=job).aggregate(first=Min("pk"), last=Max("pk"))
        for start in range(ids["first"] or 0, (ids["last"] or -1) + 1, PAGE):
            with connection.cursor() as cursor:
                cursor.execute(query, (job, start, start + PAGE - 1))
                rows = cursor.fetchall()
            tick()
            yield rows


def known_query(later: list[int]) -> str:
    """Return the query for a job's entries in a range of IDs that no later job of the view has."""
    table, columns = quoted(Entry, KNOWN)
    # The plus sign prevents SQLite from searching the index once per job.
    newer = f"""
        AND NOT EXISTS (
            SELECT 1 FROM {table} n WHERE n.folder_id = e.folder_id AND n.name = e.name
            AND +n.job_id IN ({", ".join(map(str, later))})
        )"""  # noqa: S608
    return f"""
        SELECT {columns} FROM {table} e
        WHERE job_id = %s AND id BETWEEN %s AND %s AND kind <> '-' {newer if later else ""}
        ORDER BY id"""  # noqa: S608


def sources(job: Job, base: Job | None) -> list[int]:
    """Return the IDs of the jobs that the view of a job consists of, itself the last."""
    earlier = base.sources.order_by("id").values_list("pk", flat=True) if base else []
    return [*earlier, job.pk]


def link_sources(job: Job, sources: list[int]) -> None:
    """Record what the view of a job consists of."""
    JobSource.objects.bulk_create(JobSource(job=job, source_id=source) for source in sources)
