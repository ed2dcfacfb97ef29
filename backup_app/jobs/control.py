"""What can be asked of jobs: to start one, to cancel one.

Views, the admin and commands call these. A job is stored as queued; a task of the worker takes it
on once that is committed. ``by`` is the login of who asks.
"""

from functools import partial

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils import timezone

from ..engines import get_engine
from ..exceptions import Invalid, NotFound, WrongState
from ..lib import destinations
from ..models import Job, JobLog
from . import states, tasks

DEFAULT_LEVEL = Job.Level.INCREMENTAL
MOST_RESTORES = 50  # that a client has open; each is looked at again and again until its turn
LEVELS = {name.lower(): name for name in Job.Level.values} | {
    name[0].lower(): name for name in Job.Level.values
}


def level_named(text: str) -> str:
    """Return Full, Incremental or Differential for its name or first letter; raises Invalid."""
    try:
        return LEVELS[text.strip().lower()]
    except KeyError as e:
        allowed = "full, incremental and differential, or F, I and D"
        raise Invalid({"level": [f"There is no level '{text}': there are {allowed}."]}) from e


def start_backup(client, *, level=DEFAULT_LEVEL, fileset=None, pool=None, by: str) -> Job:
    """Queue a backup of a client, of its own fileset and into its own pool unless told.

    Raises Invalid for an unknown level and for what is another account's, WrongState for a client
    that is deleted, has a backup queued or running or that the engine cannot back up, and for a
    pool that is full.
    """
    level = level_named(level)
    fileset, pool = fileset or client.fileset, pool or client.pool
    _require_own(client, fileset=fileset, pool=pool)
    _require_present(client)
    storage = pool.storage
    _require_system(client, storage.zone.engine)
    _require_no_open_backup(client)
    _require_space(pool)
    kind = {"type": Job.Type.BACKUP, "level": level, "engine": storage.zone.engine}
    try:
        with transaction.atomic():
            return _queue(client, by, **kind, fileset=fileset, pool=pool, storage=storage)
    except IntegrityError as e:
        _require_no_open_backup(client)
        raise WrongState(f"Client '{client}' had another backup started just now.") from e


def start_restore(job, client, selection, *, path: bytes = b"/", by: str) -> Job:
    """Queue the restore of a selection of a backup's view, to a client below a path.

    ``b"/"`` is the original location. Raises WrongState unless the backup has content, and the
    client is there and has few restores to wait for; Invalid for a path that is not absolute and
    for an empty selection, Forbidden for one that the engine must not write to.
    """
    require_good(job)
    _require_own(job, client=client)
    _require_present(client)
    _require_few_restores(client)
    nodes, files = ([pk for pk, _ in found] for found in (selection.nodes, selection.files))
    if not (nodes or files):
        raise Invalid({"files": ["There is nothing to restore: name files or folders."]})
    path = destinations.cleaned(path)
    get_engine(job.engine).require_destination(client, path)
    where = destinations.packed(path)
    request = {"nodes": nodes, "files": files, **where}
    return _queue_for(job, client, by, type=Job.Type.RESTORE, request=request)


def start_database_restore(job, client, database: str, kind: str, by: str) -> Job:
    """Queue the loading of a database's dump from a backup into the same database of a client.

    Raises NotFound for a dump that is not in the backup's view, WrongState for a database that is
    not on the client's server; asks the server, so no transaction should be open.
    """
    require_good(job)
    _require_own(job, client=client)
    _require_present(client)
    _require_few_restores(client)
    engine = get_engine(job.engine)
    if not engine.supports_databases:
        raise WrongState(f"The engine '{job.engine}' of job {job.pk} keeps no databases.")
    engine.find_dump(job, database, kind)
    engine.require_database(client, kind, database)
    request = {"database": {"database": database, "kind": kind}}
    return _queue_for(job, client, by, type=Job.Type.RESTORE, request=request)


def start_verify(job, by: str) -> Job:
    """Queue the reading of a whole backup against its catalog; raises WrongState."""
    require_good(job)
    return _queue_for(job, job.client, by, type=Job.Type.VERIFY)


def cancel(job, by: str) -> Job:
    """Cancel a queued job at once, tell a running one to end; raises WrongState if it has ended.

    Returns the job as it is now.
    """
    message = f"Canceled by {by}."
    if states.withdraw(job.pk, message):
        _log(job, message)
    elif states.ask_to_cancel(job.pk):
        _log(job, f"{by} asks to cancel.")
        get_engine(job.engine).cancel(job)
    else:
        _require_canceling(job)
    job.refresh_from_db()
    return job


def _queue_for(backup, client, by, **fields):
    same = {name: getattr(backup, name) for name in ("engine", "fileset", "pool", "storage")}
    try:
        return _queue(client, by, **same, **fields, parent=backup)
    except IntegrityError as e:
        raise NotFound(f"Backup {backup.pk} has just been removed.") from e


@transaction.atomic
def _queue(client, by, **fields):
    job = Job.objects.create(
        account_id=client.account_id,
        client=client,
        name=client.name,
        requested_by=by,
        seen=timezone.now(),
        **fields,
    )
    transaction.on_commit(partial(tasks.enqueue, job.pk))
    return job


def _log(job, message):
    JobLog.objects.create(job=job, message=message)


def _require_canceling(job):
    job.refresh_from_db()
    if job.status != Job.Status.CANCELING:
        raise WrongState(f"Job {job.pk} has ended: it is {job.status}.")


def require_good(job):
    """Raise WrongState unless a job is a backup with content."""
    if job.type != Job.Type.BACKUP or not job.is_good:
        raise WrongState(f"Job {job.pk} is a {job.type} that is {job.status}: it has no content.")


def _require_present(client):
    if client.deleted:
        raise WrongState(f"Client '{client}' is deleted.")


def _require_few_restores(client):
    if client.jobs.open().filter(type=Job.Type.RESTORE).count() >= MOST_RESTORES:
        raise WrongState(
            f"Client '{client}' has {MOST_RESTORES} restores queued or running already."
        )


def _require_own(owner, **things):
    for name, thing in things.items():
        if thing.account_id != owner.account_id:
            raise Invalid({name: [f"There is no {name} '{thing}' in this account."]})


def _require_system(client, alias):
    if client.system not in {each.system for each in get_engine(alias).systems()}:
        raise WrongState(
            f"The engine '{alias}' cannot back up {client.system} machines such as '{client}'."
        )


def _require_no_open_backup(client):
    if job := client.jobs.backups().open().first():
        raise WrongState(f"Client '{client}' has a backup already: job {job.pk} is {job.status}.")


def _require_space(pool):
    if pool.quota_bytes is None:
        return
    used = pool.jobs.aggregate(used=Sum("stored_bytes", default=0))["used"]
    if used >= pool.quota_bytes:
        raise WrongState(
            f"Pool '{pool}' is full: it holds {used} bytes of its quota of {pool.quota_bytes}."
        )
