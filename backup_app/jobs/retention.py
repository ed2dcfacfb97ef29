"""Removing old jobs (``prune``), and all data of clients deleted long ago (``purge``)."""

import datetime as dt
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from django.db.models import Q, QuerySet
from django.utils import timezone

from ..engines import get_engine
from ..exceptions import BackupError, InvalidEngine
from ..lib.bulk import delete_in_batches
from ..models import Client, Folder, Job, JobSource, Pool, Storage
from ..models.job import GOOD, OPEN

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Removed:
    """A job that was removed, or why it could not be."""

    job_id: int
    client: str
    type: str
    level: str | None
    status: str
    ended: dt.datetime | None
    stored_bytes: int
    problem: str = ""


@dataclass(frozen=True)
class Purged:
    """A deleted client that was purged, or why it could not be."""

    client: str
    deleted: dt.datetime | None
    backups: int
    stored_bytes: int
    problem: str = ""


def prune(
    clients: Iterable[Client], *, pool: Pool | None = None, dry_run: bool = False
) -> Iterator[Removed]:
    """Remove the expired jobs of clients, or only those in a pool; yield each.

    Finally delete what interrupted removals have left.
    """
    for client in clients:
        # Newest first, so that an interruption never leaves a backup without one it builds on.
        for job in expired(client):
            if pool and (job.pool or client.pool) != pool:
                continue
            removed = _removed(job)
            if dry_run:
                yield removed
            elif not _is_needed(job):
                yield replace(removed, problem=_remove(job))
    if not dry_run:
        _finish_removals()


def purge(deleted_before: dt.datetime, *, dry_run: bool = False) -> Iterator[Purged]:
    """Remove clients that were deleted before a time, with all their data; yield each."""
    for client in Client.objects.filter(deleted__lt=deleted_before).select_related("zone"):
        backups = Job.objects.backups().good().filter(client=client)
        size = sum(job.stored_bytes for job in backups)
        purged = Purged(client.name, client.deleted, len(backups), size)
        yield purged if dry_run else replace(purged, problem=_purge(client))


def expired(client: Client) -> list[Job]:
    """Return the expired jobs of a client, newest first.

    Not expired are open jobs; jobs that ended within the pool's ``retention_days``; of each fileset
    the newest good backup and, per pool, the newest ``keep_full`` full ones; backups that are being
    read; and every backup that one of these builds on. Adopted jobs, and backups in an adopted
    pool, expire when the engine removes them.
    """
    ended = [job for job in _ended(client) if not _is_in_adopted_pool(job)]
    backups = [job for job in ended if job.type == Job.Type.BACKUP and job.is_good]
    kept = {job.pk for job in ended if _is_young(job, client)}
    kept |= _newest(backups) | _newest_full(backups) | _read_now(client)
    kept |= _built_on(client, kept)
    return [job for job in ended if job.pk not in kept]


def _ended(client: Client) -> QuerySet[Job]:
    is_ours = Q(engine_state__adopted__isnull=True) | Q(engine_state__adopted=False)
    ours = Job.objects.filter(is_ours, client=client)
    return ours.exclude(status__in=OPEN).select_related("pool")


def _is_in_adopted_pool(job: Job) -> bool:
    is_backup = job.type == Job.Type.BACKUP and job.is_good
    return is_backup and job.pool is not None and job.pool.is_adopted


def _is_young(job: Job, client: Client) -> bool:
    days = (job.pool or client.pool).retention_days
    return (job.ended or job.created) > timezone.now() - dt.timedelta(days=days)


def _newest(backups: list[Job]) -> set[int]:
    """Return the newest backup of each fileset."""
    return set({job.fileset_id: job.pk for job in reversed(backups)}.values())


def _newest_full(backups: list[Job]) -> set[int]:
    """Return the newest ``keep_full`` full backups of each fileset in each pool."""
    full: dict[tuple[int | None, Pool | None], list[int]] = defaultdict(list)
    for job in backups:
        if job.level == Job.Level.FULL:
            full[job.fileset_id, job.pool].append(job.pk)
    return {pk for (_, pool), pks in full.items() for pk in pks[: pool.keep_full if pool else 1]}


def _built_on(client: Client, pks: set[int]) -> set[int]:
    """Return the backups that the given and the open ones of a client build on."""
    users = Q(job__in=pks, job__status__in=GOOD) | Q(job__status__in=OPEN)
    links = JobSource.objects.filter(users, job__client=client)
    return set(links.values_list("source", flat=True))


def _read_now(client: Client) -> set[int]:
    backups = Job.objects.being_read().filter(client=client).order_by()
    return set(backups.values_list("pk", flat=True))


def _finish_removals() -> None:
    for storage in Storage.objects.select_related("zone"):
        try:
            get_engine(storage.zone.engine).finish_removals(storage)
        except (BackupError, InvalidEngine) as e:
            words = "Leftovers of removals in storage '%s' could not be deleted: %s"
            logger.warning(words, storage, e)


def _is_needed(job: Job) -> bool:
    """Return whether a job has come into use since it was found to be expired."""
    is_read = Job.objects.being_read().filter(pk=job.pk).exists()
    return is_read or Job.objects.needing(job).exists()


def _remove(job: Job) -> str:
    """Remove a job and its data; return a sentence on why that failed, or ""."""
    pk = job.pk  # None once the row is deleted, after which the engine may still fail
    try:
        engine = get_engine(job.engine)
        if job.type == Job.Type.BACKUP and job.is_good:
            engine.remove(job)
        else:
            engine.discard(job)
            engine.forget(job)
            job.delete()
    except (BackupError, InvalidEngine, OSError) as e:
        return f"Job {pk} could not be removed: {e}"
    return ""


def _removed(job: Job) -> Removed:
    return Removed(job.pk, job.name, job.type, job.level, job.status, job.ended, job.stored_bytes)


def _purge(client: Client) -> str:
    if job := Job.objects.open().filter(client=client).first():
        return f"Job {job.pk} of the deleted client '{client}' is still {job.status}."
    readers = Job.objects.open().filter(parent__client=client)
    if reader := readers.order_by("parent").first():
        return f"Job {reader.parent_id} of the deleted client '{client}' is being read."
    for job in Job.objects.filter(client=client).order_by("-pk"):
        if problem := _remove(job):
            return problem
    if problem := _forget(client):
        return problem
    # Folders have higher IDs than their parents, so children go first.
    delete_in_batches(Folder.objects.filter(client=client).order_by("-pk"))
    client.delete()
    return ""


def _forget(client: Client) -> str:
    """Let the engine remove its data of a client; return why that failed, or ""."""
    try:
        get_engine(client.zone.engine).forget_client(client)
    except (BackupError, InvalidEngine, OSError) as e:
        return f"The engine could not remove its data of client '{client}': {e}"
    return ""
