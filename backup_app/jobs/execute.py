"""Doing a job: the worker calls ``run``, and ``resume`` while the job continues in its engine."""

import logging
import threading
from time import sleep
from typing import Any

from django.db import DatabaseError, OperationalError, connection, transaction

from ..engines import get_engine
from ..engines.values import Outcome
from ..exceptions import BackupError, Canceled, EngineOffline, InvalidEngine, Unfinished
from ..lib.formatting import counted, size, storable
from ..lib.log_context import about_job
from ..models import Job, JobLog
from . import states
from .job_run import JobRun, countable
from .worker_id import this_worker

Status, Type = Job.Status, Job.Type
VERBS: dict[str, str] = {Type.BACKUP: "backup", Type.RESTORE: "restore", Type.VERIFY: "verify"}
UNEXPECTED = "The job failed unexpectedly. The server's log says why."
MAX_MESSAGE = Job._meta.get_field("message").max_length
# Seconds between attempts to write how a job ended. Together they are less than the default of
# BACKUP_JOB_LOST_SECONDS, after which another worker would end the job, without the reason.
PAUSES = (1, 2, 5, 10, 20, 40, 60, 60)
logger = logging.getLogger(__name__)

left = threading.Event()  # this process has left a job to its engine


def run(job_id: int) -> bool:
    """Run a queued job, whether it succeeds or not; False if it is not queued.

    A job that continues in its engine is left to it for ``resume``. Raises ClientBusy if another
    job of the client is active. No transaction may be open: others must see each state.
    """
    worker = this_worker()
    begun = states.begin(job_id, worker)
    if begun:
        run = JobRun(_read(job_id), worker)
        _work(run, begin=True)
    return begun


def resume(job_id: int) -> bool:
    """Poll a job that was left to its engine, which may end it; False if its engine is unreachable.

    Does nothing if another worker was faster. No transaction may be open.
    """
    worker = this_worker("resuming")
    if not states.resume(job_id, worker):
        return True
    with about_job(job_id):
        return _work(JobRun(_read(job_id), worker, is_resumed=True), begin=False)


def _read(job_id: int) -> Job:
    related = "client", "fileset", "pool", "storage__zone", "parent"
    return Job.objects.select_related(*related).get(pk=job_id)


def _work(run: JobRun, *, begin: bool) -> bool:
    """Do what can be done now; return False if the engine is unreachable."""
    try:
        if begin:
            _begin(run)
        _succeed(run, _do(run))
    except Unfinished as e:
        _leave_to_engine(run)
        return not isinstance(e, EngineOffline)
    except Canceled:
        fail(run, Status.CANCELED, "The job was canceled.")
    except (BackupError, InvalidEngine) as e:
        fail(run, Status.FAILED, str(e))
    except OSError as e:
        logger.exception("Job %s failed.", run.job.pk)
        fail(run, Status.FAILED, _describe(e))
    except DatabaseError as e:
        logger.exception("Job %s failed.", run.job.pk)
        fail(run, Status.FAILED, _describe_database(e))
    except Exception:
        logger.exception("Job %s failed.", run.job.pk)
        fail(run, Status.FAILED, UNEXPECTED)
    return True


def _begin(run: JobRun) -> None:
    _require_possible(run.job)
    get_engine(run.job.engine)
    run.info(f"The {run.job.type} of client '{run.job.client}' begins.")
    logger.info("Job %s begins: a %s of client '%s'.", run.job.pk, run.job.type, run.job.client)


def _do(run: JobRun) -> Outcome:
    engine = get_engine(run.job.engine)
    verb = "test_restore" if "sample" in run.job.request else VERBS[run.job.type]
    outcome: Outcome = getattr(engine, verb)(run)
    return outcome


def _leave_to_engine(run: JobRun) -> None:
    run.flush()
    states.leave_to_engine(run.job.pk, run.worker, **run.progress())
    left.set()


def _require_possible(job: Job) -> None:
    if job.client.deleted:
        raise BackupError(f"Client '{job.client}' was deleted before the {job.type} began.")
    if job.type == Type.BACKUP and not (job.fileset and job.pool and job.storage):
        raise BackupError("The fileset of this backup was deleted before it began.")
    if job.type != Type.BACKUP and job.parent is None:
        raise BackupError(f"The backup of this {job.type} was removed before it began.")


def _succeed(run: JobRun, outcome: Outcome) -> None:
    """End a job that succeeded; raises Canceled if that was requested meanwhile."""
    errors = max(run.errors, outcome.warnings)
    status = Status.WARNINGS if errors else Status.COMPLETED
    message = storable(summary(run.job, outcome, errors))[:MAX_MESSAGE]
    end = run.outcome() | {
        "files": outcome.files,
        "bytes": countable(outcome.bytes),
        "stored_bytes": outcome.stored_bytes,
        "files_done": outcome.files,
        "bytes_done": countable(outcome.bytes),
        "errors": errors,
        "message": message,
        "report": outcome.report,
    }
    run.flush()
    with transaction.atomic():
        if not states.finish(run.job.pk, run.worker, status, **end):
            raise Canceled
        run.end(JobLog.Level.INFO, message)
        run.flush()
        if run.job.type == Type.BACKUP and run.job.fileset and run.job.fileset.verify:
            _add_verification(run.job)


def summary(job: Job, outcome: Outcome, errors: int) -> str:
    """Return the message of a job that succeeded, with its totals."""
    read, stored = size(outcome.bytes), size(outcome.stored_bytes)
    entries = f"{counted(outcome.files, 'entry', 'entries')}, {read}"
    totals: dict[str, str] = {
        Type.BACKUP: f"{counted(outcome.files, 'file')}, {read}; {stored} stored",
        Type.RESTORE: f"{entries} restored",
        Type.VERIFY: f"{entries} read again",
    }
    warned = f", with {counted(errors, 'warning')}" if errors else ""
    return f"{outcome.message} {totals[job.type]}{warned}.".lstrip()


def _add_verification(job: Job) -> None:
    """Queue the verification of a backup; ``enqueue_waiting`` will add its task."""
    same = ("account", "client", "name", "engine", "fileset", "pool", "storage", "requested_by")
    fields = {name: getattr(job, name) for name in same}
    Job.objects.create(type=Type.VERIFY, parent=job, **fields)


def fail(run: JobRun, status: str, message: str) -> None:
    """Remove what a job that did not succeed has stored, then end it.

    Does nothing if the job now belongs to another worker, where it may still succeed.
    """
    if not states.owns(run.job.pk, run.worker):
        return
    is_discarded = discard(run.job)
    run.end(JobLog.Level.INFO if status == Status.CANCELED else JobLog.Level.ERROR, message)
    message = storable(message)[:MAX_MESSAGE]
    _write_end(run, status, {"message": message, "has_leftovers": not is_discarded})


def _write_end(run: JobRun, status: str, end: dict[str, Any]) -> None:
    """Write the rest of the log and the status; retry while the database is full or down."""
    for pause in (*PAUSES, None):
        try:
            run.flush()
            states.give_up(run.job.pk, run.worker, status, **run.outcome(), **end)
        except OperationalError as e:
            if pause is None:
                raise
            logger.warning("The outcome of job %s could not be stored yet: %s", run.job.pk, e)
            connection.close_if_unusable_or_obsolete()
            sleep(pause)
        else:
            return


def discard(job: Job) -> bool:
    """Let the engine remove the leftovers of an unsuccessful job; return whether it could."""
    try:
        # A good job did succeed: only the answer of the database was lost.
        if not Job.objects.good().filter(pk=job.pk).exists():
            get_engine(job.engine).discard(job)
    except Exception as e:
        if not job.has_leftovers:  # else it was logged before: this is retried every few seconds
            words = "Leftovers of job %s could not be removed: %s"
            logger.warning(words, job.pk, e, exc_info=not isinstance(e, BackupError))
        return False
    return True


def discard_leftovers() -> None:
    """Try again to remove leftovers of jobs."""
    left = Job.objects.filter(has_leftovers=True, status__in=[Status.FAILED, Status.CANCELED])
    for job in left.select_related("client", "storage__zone"):
        if discard(job):
            Job.objects.filter(pk=job.pk).update(has_leftovers=False)


def _describe_database(error: DatabaseError) -> str:
    # A full disk or a damaged file; subclasses such as DataError are bugs of ours.
    if type(error) not in (DatabaseError, OperationalError):
        return UNEXPECTED
    return f"The database failed: {str(error).partition(chr(10))[0]}."


def _describe(error: OSError) -> str:
    place = f"'{error.filename}': " if error.filename else ""
    return f"{place}{error.strerror or error}."
