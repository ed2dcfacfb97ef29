"""Starting and canceling jobs, for views, the admin and commands.

A job is stored as queued, and a task for the worker is added once that is committed. ``by`` is the
login of the person who asks.
"""

from functools import partial
from time import monotonic
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Sum
from django.utils import timezone

from ..engines import get_engine
from ..engines.previews import Existing, Preview
from ..engines.values import Selection, Tick, no_tick
from ..exceptions import Invalid, NotFound, TooLarge, WrongState
from ..lib import destinations
from ..models import Client, Fileset, Job, JobLog, Pool
from . import states, tasks

DEFAULT_LEVEL = Job.Level.INCREMENTAL
PATIENCE = 4  # seconds that a client may take to answer while somebody waits for a page
MAX_RESTORES = 50  # open ones of a client: each is retried until it is its turn
LEVELS = {name.lower(): name for name in Job.Level.values} | {
    name[0].lower(): name for name in Job.Level.values
}


def level_named(text: str) -> str:
    """Return Full, Incremental or Differential for its name or initial; raises Invalid."""
    try:
        return LEVELS[text.strip().lower()]
    except KeyError as e:
        allowed = "full, incremental or differential, or F, I or D"
        raise Invalid({"level": [f"Unknown level '{text}': it must be {allowed}."]}) from e


def start_backup(
    client: Client,
    *,
    level: str = DEFAULT_LEVEL,
    fileset: Fileset | None = None,
    pool: Pool | None = None,
    by: str,
) -> Job:
    """Queue a backup of a client, by default of its own fileset and into its own pool.

    Raises Invalid for an unknown level and for another account's fileset or pool, WrongState for a
    client that is deleted, has an open backup or cannot be backed up by the engine, and for a full
    pool.
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
    except IntegrityError as e:  # another request was faster
        raise WrongState(f"Another backup of client '{client}' has just been started.") from e


def existing_named(text: str) -> Existing:
    """Return what a restore does with files that are there; raises Invalid for an unknown word."""
    try:
        return Existing(text)
    except ValueError as e:
        allowed = ", ".join(Existing)
        sentence = f"Unknown choice '{text}' for existing files: it must be one of {allowed}."
        raise Invalid({"existing": [sentence]}) from e


def start_restore(
    job: Job,
    client: Client,
    selection: Selection,
    *,
    path: bytes = b"/",
    existing: str = Existing.OVERWRITE,
    by: str,
) -> Job:
    """Queue the restore of a selection of a backup's view to a path of a client.

    ``b"/"`` is the original location. Raises WrongState if the backup has no content, and for a
    client that is deleted or has too many open restores; Invalid for a relative path and an empty
    selection, Forbidden for a path to which the engine must not write.
    """
    request = _restore_request(job, client, selection, path, existing)
    _require_few_restores(client)
    return _queue_for(job, client, by, type=Job.Type.RESTORE, request=request)


def plan_restore(
    job: Job,
    client: Client,
    selection: Selection,
    *,
    path: bytes = b"/",
    existing: str = Existing.OVERWRITE,
    seconds: float | None = None,
) -> Preview:
    """Return what ``start_restore`` with these arguments would do now; raises as it does.

    With ``seconds`` it raises TooLarge if that takes longer, and EngineUnreachable if the client
    does not answer within PATIENCE. It asks the client's machine, so no transaction should be open.
    """
    request = _restore_request(job, client, selection, path, existing)
    planned = Job(client=client, type=Job.Type.RESTORE, request=request, **_from(job))
    tick = _time_limit(seconds) if seconds else no_tick
    patience = PATIENCE if seconds else None
    return get_engine(job.engine).preview_restore(planned, tick, patience=patience)


def _time_limit(seconds: float) -> Tick:
    end = monotonic() + seconds

    def tick() -> None:
        if monotonic() > end:
            raise TooLarge(f"The plan of this restore takes longer than {seconds:.0f} seconds.")

    return tick


def _restore_request(
    job: Job, client: Client, selection: Selection, path: bytes, existing: str
) -> dict[str, Any]:
    require_good(job)
    _require_own(job, client=client)
    _require_present(client)
    engine = get_engine(job.engine)
    choice = existing_named(existing)
    if choice != Existing.OVERWRITE and not engine.supports_keeping:
        raise WrongState(f"The engine '{job.engine}' of job {job.pk} always replaces files.")
    nodes, files = ([pk for pk, _ in found] for found in (selection.nodes, selection.files))
    if not (nodes or files):
        raise Invalid({"files": ["Nothing to restore: name files or folders."]})
    path = destinations.cleaned(path)
    engine.require_destination(client, path)
    kept = {} if choice == Existing.OVERWRITE else {"existing": choice.value}
    return {"nodes": nodes, "files": files, **destinations.packed(path), **kept}


def start_database_restore(job: Job, client: Client, database: str, kind: str, by: str) -> Job:
    """Queue the load of a database's dump in a backup into the same database of a client.

    Raises NotFound for a dump that is not in the backup's view, WrongState for a database that is
    not on the client's server. It asks that server, so no transaction should be open.
    """
    require_good(job)
    _require_own(job, client=client)
    _require_present(client)
    _require_few_restores(client)
    engine = get_engine(job.engine)
    if not engine.supports_databases:
        raise WrongState(f"The engine '{job.engine}' of job {job.pk} does not support databases.")
    engine.find_dump(job, database, kind)
    engine.require_database(client, kind, database)
    request = {"database": {"database": database, "kind": kind}}
    return _queue_for(job, client, by, type=Job.Type.RESTORE, request=request)


def start_verify(job: Job, by: str) -> Job:
    """Queue the verification of a backup; raises WrongState if it has no content."""
    require_good(job)
    return _queue_for(job, job.client, by, type=Job.Type.VERIFY)


def start_restore_test(job: Job, files: int, by: str) -> Job:
    """Queue a test that restores some files of a backup to a folder of ours, and compares them.

    Raises WrongState if the backup has no content, and for an engine that cannot do it.
    """
    require_good(job)
    if not get_engine(job.engine).supports_restore_tests:
        raise WrongState(f"The engine '{job.engine}' of job {job.pk} cannot test restores.")
    return _queue_for(job, job.client, by, type=Job.Type.VERIFY, request={"sample": files})


def cancel(job: Job, by: str) -> Job:
    """Cancel a queued job at once, ask a running one to end; return the job as it is now.

    Raises WrongState if it has ended.
    """
    message = f"Canceled by {by}."
    if states.cancel_queued(job.pk, message):
        _log(job, message)
    elif states.request_cancel(job.pk):
        _log(job, f"{by} requested cancellation.")
        get_engine(job.engine).cancel(job)
    else:
        _require_canceling(job)
    job.refresh_from_db()
    return job


def _queue_for(backup: Job, client: Client, by: str, **fields: Any) -> Job:
    try:
        return _queue(client, by, **_from(backup), **fields)
    except IntegrityError as e:
        raise NotFound(f"Backup {backup.pk} has just been removed.") from e


def _from(backup: Job) -> dict[str, Any]:
    """Return the fields that a job has of the backup that it restores or reads."""
    same = {name: getattr(backup, name) for name in ("engine", "fileset", "pool", "storage")}
    return same | {"parent": backup}


@transaction.atomic
def _queue(client: Client, by: str, **fields: Any) -> Job:
    job: Job = Job.objects.create(
        account_id=client.account_id,
        client=client,
        name=client.name,
        requested_by=by,
        seen=timezone.now(),
        **fields,
    )
    transaction.on_commit(partial(tasks.enqueue, job.pk))
    return job


def _log(job: Job, message: str) -> None:
    JobLog.objects.create(job=job, message=message)


def _require_canceling(job: Job) -> None:
    job.refresh_from_db()
    if job.status != Job.Status.CANCELING:
        raise WrongState(f"Job {job.pk} has ended: it is {job.status}.")


def require_good(job: Job) -> None:
    """Raise WrongState unless a job is a good backup, which has content."""
    if job.type != Job.Type.BACKUP or not job.is_good:
        raise WrongState(f"Job {job.pk} ({job.type}, {job.status}) has no content.")


def _require_present(client: Client) -> None:
    if client.deleted:
        raise WrongState(f"Client '{client}' is deleted.")


def _require_few_restores(client: Client) -> None:
    if Job.objects.open().filter(client=client, type=Job.Type.RESTORE).count() >= MAX_RESTORES:
        raise WrongState(
            f"Client '{client}' already has {MAX_RESTORES} restores queued or running."
        )


def _require_own(owner: Client | Job, **things: Any) -> None:
    for name, thing in things.items():
        if thing.account_id != owner.account_id:
            raise Invalid({name: [f"There is no {name} '{thing}' in this account."]})


def _require_system(client: Client, alias: str) -> None:
    if client.system not in {each.system for each in get_engine(alias).systems()}:
        raise WrongState(
            f"The engine '{alias}' cannot back up {client.system} machines such as '{client}'."
        )


def _require_no_open_backup(client: Client) -> None:
    if job := Job.objects.backups().open().filter(client=client).first():
        raise WrongState(f"Client '{client}' already has a backup: job {job.pk} is {job.status}.")


def _require_space(pool: Pool) -> None:
    if pool.quota_bytes is None:
        return
    used = Job.objects.filter(pool=pool).aggregate(used=Sum("stored_bytes", default=0))["used"]
    if used >= pool.quota_bytes:
        raise WrongState(
            f"Pool '{pool}' is full: it holds {used} bytes of its quota of {pool.quota_bytes}."
        )
