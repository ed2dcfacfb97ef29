"""What is no longer kept: old jobs (``prune``), and all of clients deleted long ago (``purge``)."""

import datetime as dt
import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from django.db.models import Q
from django.utils import timezone

from ..engines import get_engine
from ..exceptions import BackupError, InvalidEngine
from ..models import Client, Folder, Job, JobSource, Storage
from ..models.job import GOOD, OPEN

logger = logging.getLogger(__name__)
FOLDERS_AT_ONCE = 1000


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
    """A deleted client of which nothing is left, or why something is."""

    client: str
    deleted: dt.datetime
    backups: int
    stored_bytes: int
    problem: str = ""


def prune(clients: Iterable[Client], *, dry_run: bool = False) -> Iterator[Removed]:
    """Remove the jobs that their pools no longer keep; yield each.

    At last remove what earlier removals left that were killed.
    """
    for client in clients:
        # What builds on others goes before them, so that an end at any moment breaks no chain.
        for job in expired(client):
            removed = _removed(job)
            if dry_run:
                yield removed
            elif not _is_needed(job):
                yield replace(removed, problem=_remove(job))
    if not dry_run:
        _finish_removals()


def purge(deleted_before: dt.datetime, *, dry_run: bool = False) -> Iterator[Purged]:
    """Remove clients that were deleted before a time, with all that is left of them; yield each."""
    for client in Client.objects.filter(deleted__lt=deleted_before).select_related("zone"):
        backups = client.jobs.backups().good()
        size = sum(job.stored_bytes for job in backups)
        purged = Purged(client.name, client.deleted, len(backups), size)
        yield purged if dry_run else replace(purged, problem=_purge(client))


def expired(client: Client) -> list[Job]:
    """Return the jobs of a client that are no longer kept, newest first.

    Kept are open jobs; those that ended within the pool's days; of each fileset the newest good
    backup and, of each pool, the newest full ones; those that are read, or whose download began
    within a day; and all that one of these builds on or reads. Jobs that were adopted, and backups
    in a pool that was, stay as long as the engine itself keeps them.
    """
    ended = [job for job in _ended(client) if not _is_in_adopted_pool(job)]
    backups = [job for job in ended if job.type == Job.Type.BACKUP and job.is_good]
    kept = {job.pk for job in ended if _is_young(job, client)}
    kept |= _newest(backups) | _newest_full(backups) | _read_now(client)
    kept |= _built_on(client, kept)
    return [job for job in ended if job.pk not in kept]


def _ended(client):
    is_ours = Q(engine_state__adopted__isnull=True) | Q(engine_state__adopted=False)
    ours = client.jobs.filter(is_ours)
    return ours.exclude(status__in=OPEN).select_related("pool")


def _is_in_adopted_pool(job):
    is_there = job.type == Job.Type.BACKUP and job.is_good and job.pool
    return bool(is_there) and job.pool.is_adopted


def _is_young(job, client):
    days = (job.pool or client.pool).retention_days
    return (job.ended or job.created) > timezone.now() - dt.timedelta(days=days)


def _newest(backups):
    """Return the newest backup of each fileset."""
    return set({job.fileset_id: job.pk for job in reversed(backups)}.values())


def _newest_full(backups):
    """Return as many full backups of each fileset in each pool as the pool says."""
    full = defaultdict(list)
    for job in backups:
        if job.level == Job.Level.FULL:
            full[job.fileset_id, job.pool].append(job.pk)
    return {pk for (_, pool), pks in full.items() for pk in pks[: pool.keep_full if pool else 1]}


def _built_on(client, pks):
    """Return the backups that these and the open ones of a client build on."""
    users = Q(job__in=pks, job__status__in=GOOD) | Q(job__status__in=OPEN)
    links = JobSource.objects.filter(users, job__client=client)
    return set(links.values_list("source", flat=True))


def _read_now(client):
    """Return the backups that are being read: by jobs, also of the queue, and by downloads."""
    return set(client.jobs.being_read().order_by().values_list("pk", flat=True))


def _readers(client):
    return Job.objects.open().filter(parent__client=client)


def _finish_removals():
    for storage in Storage.objects.select_related("zone"):
        try:
            get_engine(storage.zone.engine).finish_removals(storage)
        except (BackupError, InvalidEngine) as e:
            logger.warning("What killed removals left in storage '%s' stays: %s", storage, e)


def _is_needed(job):
    """Say whether something has begun to need a job since it was found to be expired."""
    is_read = Job.objects.being_read().filter(pk=job.pk).exists()
    return is_read or Job.objects.needing(job).exists()


def _remove(job):
    """Remove a job and what it stored; return in a sentence why that failed, or ""."""
    pk = job.pk  # it may be gone here when something of it stays elsewhere
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


def _removed(job):
    return Removed(
        job_id=job.pk,
        client=job.name,
        type=job.type,
        level=job.level,
        status=job.status,
        ended=job.ended,
        stored_bytes=job.stored_bytes,
    )


def _purge(client):
    if job := client.jobs.open().first():
        return f"Job {job.pk} of the deleted client '{client}' is still {job.status}."
    if reader := _readers(client).order_by("parent").first():
        return f"Job {reader.parent_id} of the deleted client '{client}' is being read."
    for job in client.jobs.order_by("-pk"):
        if problem := _remove(job):
            return problem
    if problem := _forget(client):
        return problem
    _remove_folders(client)
    client.delete()
    return ""


def _forget(client):
    """Let the client's engine forget it; return in a sentence why that failed, or ""."""
    try:
        get_engine(client.zone.engine).forget_client(client)
    except (BackupError, InvalidEngine, OSError) as e:
        return f"Client '{client}' could not be forgotten by its engine: {e}"
    return ""


def _remove_folders(client):
    # A parent was made before its folders, so they go before it; few at a time, for memory's sake.
    folders = Folder.objects.filter(client=client).order_by("-pk").values_list("pk", flat=True)
    while pks := list(folders[:FOLDERS_AT_ONCE]):
        Folder.objects.filter(pk__in=pks).delete()
