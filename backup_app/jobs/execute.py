"""Doing a job: the worker calls ``run``, and ``resume`` while it goes on in its engine."""

import logging
from time import sleep

from django.db import DatabaseError, OperationalError, connection, transaction

from ..engines import get_engine
from ..engines.base import Outcome
from ..exceptions import Away, BackupError, Canceled, InvalidEngine, Unfinished
from ..lib.formatting import counted, size, storable
from ..lib.log_context import about_job
from ..models import Job, JobLog
from . import states
from .job_run import JobRun, countable
from .worker_id import this_worker

Status, Type = Job.Status, Job.Type
VERBS = {Type.BACKUP: "backup", Type.RESTORE: "restore", Type.VERIFY: "verify"}
UNEXPECTED = "The job failed for a reason that the server's log tells."
LONGEST = Job._meta.get_field("message").max_length
# Seconds between attempts to write how a job ended. Together they are less than the default of
# JOB_LOST_SECONDS, after which another worker ends the job without knowing why it failed.
PAUSES = (1, 2, 5, 10, 20, 40, 60, 60)
logger = logging.getLogger(__name__)


def run(job_id: int) -> bool:
    """Do a queued job from beginning to end, whatever the end is; False when it is not queued.

    One that goes on in its engine is set aside; ``resume`` looks after it. Raises ClientBusy when
    another job of the client is at work. No transaction may be open.
    """
    worker = this_worker()
    begun = states.begin(job_id, worker)
    if begun:
        run = JobRun(_read(job_id), worker)
        _work(run, begin=True)
    return begun


def resume(job_id: int) -> bool:
    """Look after a job that was set aside, which may end it; False when its engine is away.

    Does nothing when another worker was quicker. No transaction may be open.
    """
    worker = this_worker("resuming")
    if not states.take_up(job_id, worker):
        return True
    with about_job(job_id):
        return _work(JobRun(_read(job_id), worker, is_resumed=True), begin=False)


def _read(job_id):
    related = "client", "fileset", "pool", "storage__zone", "parent"
    return Job.objects.select_related(*related).get(pk=job_id)


def _work(run, *, begin):
    """Do what there is to do now; return False when the engine is away."""
    try:
        if begin:
            _begin(run)
        _succeed(run, _do(run))
    except Unfinished as e:
        _set_aside(run)
        return not isinstance(e, Away)
    except Canceled:
        fail(run, Status.CANCELED, "The job was canceled.")
    except (BackupError, InvalidEngine) as e:
        fail(run, Status.FAILED, str(e))
    except OSError as e:
        logger.exception("Job %s failed.", run.job.pk)
        fail(run, Status.FAILED, _words(e))
    except DatabaseError as e:
        logger.exception("Job %s failed.", run.job.pk)
        fail(run, Status.FAILED, _database_words(e))
    except Exception:
        logger.exception("Job %s failed.", run.job.pk)
        fail(run, Status.FAILED, UNEXPECTED)
    return True


def _begin(run):
    _require_possible(run.job)
    get_engine(run.job.engine)
    run.info(f"The {run.job.type} of client '{run.job.client}' begins.")
    logger.info("Job %s begins: a %s of client '%s'.", run.job.pk, run.job.type, run.job.client)


def _do(run):
    engine = get_engine(run.job.engine)
    return getattr(engine, VERBS[run.job.type])(run)


def _set_aside(run):
    run.flush()
    states.set_aside(run.job.pk, run.worker, **run.progress())


def _require_possible(job):
    if job.client.deleted:
        raise BackupError(f"Client '{job.client}' was deleted before the {job.type} began.")
    if job.type == Type.BACKUP and not (job.fileset and job.pool and job.storage):
        raise BackupError("The fileset of this backup was deleted before it began.")
    if job.type != Type.BACKUP and job.parent is None:
        raise BackupError(f"The backup of this {job.type} was removed before it began.")


def _succeed(run, outcome: Outcome):
    """End a job that did what it should; raises Canceled when it was to be canceled meanwhile."""
    errors = max(run.errors, outcome.warnings)
    status = Status.WARNINGS if errors else Status.COMPLETED
    message = storable(summary(run.job, outcome, errors))[:LONGEST]
    end = run.progress() | {
        "files": outcome.files,
        "bytes": countable(outcome.bytes),
        "stored_bytes": outcome.stored_bytes,
        "files_done": outcome.files,
        "bytes_done": countable(outcome.bytes),
        "errors": errors,
        "message": message,
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
    """Return in a sentence or two what a job that succeeded has done."""
    read, stored = size(outcome.bytes), size(outcome.stored_bytes)
    entries = f"{counted(outcome.files, 'entry', 'entries')}, {read}"
    totals = {
        Type.BACKUP: f"{counted(outcome.files, 'file')}, {read}; {stored} stored",
        Type.RESTORE: f"{entries} restored",
        Type.VERIFY: f"{entries} read again",
    }[job.type]
    warned = f", with {counted(errors, 'warning')}" if errors else ""
    return f"{outcome.message} {totals}{warned}.".lstrip()


def _add_verification(job):
    """Queue the verification of a backup; it has no task yet."""
    same = ("account", "client", "name", "engine", "fileset", "pool", "storage", "requested_by")
    fields = {name: getattr(job, name) for name in same}
    Job.objects.create(type=Type.VERIFY, parent=job, **fields)


def fail(run, status, message):
    """End a job that did not succeed, once nothing is left of what it did.

    Does nothing when it has become another worker's, for whom it may still succeed.
    """
    if not states.owns(run.job.pk, run.worker):
        return
    is_discarded = discard(run.job)
    run.end(JobLog.Level.INFO if status == Status.CANCELED else JobLog.Level.ERROR, message)
    message = storable(message)[:LONGEST]
    _write_end(run, status, {"message": message, "has_leftovers": not is_discarded})


def _write_end(run, status, end):
    """Write the rest of the log and the status, if need be once the database has room again."""
    for pause in (*PAUSES, None):
        try:
            run.flush()
            states.give_up(run.job.pk, run.worker, status, **run.progress(), **end)
        except OperationalError as e:
            if pause is None:
                raise
            logger.warning("The end of job %s could not be written yet: %s", run.job.pk, e)
            connection.close_if_unusable_or_obsolete()
            sleep(pause)
        else:
            return


def discard(job) -> bool:
    """Let the engine remove what a job that did not succeed has left; say whether all is gone."""
    try:
        # A good one did succeed, only the answer was lost.
        if not Job.objects.good().filter(pk=job.pk).exists():
            get_engine(job.engine).discard(job)
    except Exception as e:
        if not job.has_leftovers:  # else it was logged before, and is tried every few seconds
            words = "What is left of job %s could not be removed: %s"
            logger.warning(words, job.pk, e, exc_info=not isinstance(e, BackupError))
        return False
    return True


def discard_leftovers():
    """Try again to remove what jobs have left of which something could not be removed."""
    left = Job.objects.filter(has_leftovers=True, status__in=[Status.FAILED, Status.CANCELED])
    for job in left.select_related("client", "storage__zone"):
        if discard(job):
            Job.objects.filter(pk=job.pk).update(has_leftovers=False)


def _database_words(error: DatabaseError):
    # A full disk, a damaged file; that values do not fit is a fault of ours.
    if type(error) not in (DatabaseError, OperationalError):
        return UNEXPECTED
    return f"The database failed: {str(error).partition(chr(10))[0]}."


def _words(error: OSError):
    place = f"'{error.filename}': " if error.filename else ""
    return f"{place}{error.strerror or error}."
