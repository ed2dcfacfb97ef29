"""Follows a job that runs in Bacula: its status, log and progress."""

import datetime as dt
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ....exceptions import Canceled, EngineError, EngineOffline, EngineUnreachable, Unfinished
from ....models import Job
from ...values import Run
from ..catalog.job_log import Level, Line, reason
from ..catalog.records import CANCELED, JobRow
from ..director.director import Director
from ..names import Bacula
from .login import LoginRejected
from .status import Progress
from .tls import TlsFailed

REPORT_SECONDS = 2  # within which the last log lines arrive after the end of a job
ASK_SECONDS = 2  # between two requests for the progress of a job
LEVELS: dict[str, str] = {name[0]: name for name in Job.Level.values}  # by Bacula's letters


@contextmanager
def patience(engine: Bacula, run: Run) -> Iterator[None]:
    """Let a job wait while the Director or its catalog is unreachable.

    So does one that runs in Bacula already when the console's password is rejected, which was
    changed, or TLS fails, as with a certificate that has expired.
    Raises EngineOffline instead of EngineUnreachable until that has lasted for ``away_seconds``;
    one that others started in Bacula goes on there, and waits for as long as it takes.
    """
    try:
        yield
    except (EngineUnreachable, LoginRejected, TlsFailed) as e:
        if run.job.engine_job_id is None and not isinstance(e, EngineUnreachable):
            raise
        state, now = run.job.engine_state, time.time()
        most = math.inf if state.get("adopted") else engine.away_seconds
        if "away" not in state:
            limit = "" if most == math.inf else f" for up to {most} seconds"
            run.info(f"{e} The job waits{limit}.")
        if now - state.setdefault("away", now) >= most:
            raise
        save(run.job)
        raise EngineOffline from e


def follow(
    engine: Bacula, director: Director, run: Run, *, done: tuple[int, int] = (0, 0)
) -> JobRow:
    """Return the job in Bacula of ``run.job`` once it has ended, however it did.

    ``done`` are files and bytes of earlier ones, which count as well. Raises Unfinished before
    that, and EngineError when Bacula no longer knows the job.
    """
    run.tick()
    director.version()  # must answer: after its crash the catalog lists jobs as running
    row = job_row(engine, run.job)
    _note_return(run)
    _copy_log(engine, run)
    if row.has_ended:
        run.ran(row.started, row.ended)
        _copy_report(engine, run)
        save(run.job)
        return row
    if not run.job.engine_state.get("adopted"):
        _require_volume(engine, run)
    _expect_as_before(run, row)
    _tell_progress(director, run, row, done)
    save(run.job)
    raise Unfinished


def ended(engine: Bacula, jobs: Sequence[Job]) -> list[int]:
    """Return the IDs of those of jobs that have ended in Bacula: one query of its catalog."""
    numbers = {job.engine_job_id: job.pk for job in jobs if job.engine_job_id}
    return [numbers[number] for number in engine.reader().ended(list(numbers))]


def require_good(engine: Bacula, row: JobRow) -> None:
    """Raise EngineError with Bacula's message for a job that failed, Canceled for one that was."""
    if row.is_good:
        return
    if row.status == CANCELED and not any(line.is_limit for line in lines(engine, row)):
        raise Canceled
    raise EngineError(reason_of(engine, row))


def reason_of(engine: Bacula, row: JobRow) -> str:
    """Return Bacula's message on why a job failed."""
    otherwise = (
        f"Bacula ended its job {row.job_id} with the status '{row.status}' and gave no reason, "
        "as after a crash of the Director."
    )
    return reason(lines(engine, row)) or otherwise


def lines(engine: Bacula, row: JobRow) -> list[Line]:
    """Return the whole log of a job in Bacula."""
    return [Line.read(each.text) for each in engine.reader().log_after(row.job_id)]


def job_row(engine: Bacula, job: Job) -> JobRow:
    """Return the row of a job that was started; raises EngineError when there is none any more."""
    row = engine.reader().job(job.engine_job_id)
    if row is None:
        raise EngineError(f"Bacula no longer knows its job {job.engine_job_id}.")
    return row


def save(job: Job) -> None:
    """Save what another worker needs to resume the job."""
    job.save(update_fields=["engine_job_id", "engine_state"])


def forget(job: Job) -> None:
    """Reset the state of a job in Bacula, so that another can be started; does not save."""
    job.engine_job_id = None
    for key in ("after", "log", "report", "mount"):
        job.engine_state.pop(key, None)


def _note_return(run: Run) -> None:
    if run.job.engine_state.pop("away", None):
        run.info("The Director can be reached again.")


def _copy_log(engine: Bacula, run: Run) -> bool:
    """Copy new lines of the log; return whether the last ones are there."""
    state = run.job.engine_state
    for row in engine.reader().log_after(run.job.engine_job_id, state.get("log", 0)):
        line = Line.read(row.text)
        _note(state, line, row.log_id)
        if line.words.strip():
            _tell(run, line, row.time)
    return bool(state.get("report"))


def _note(state: dict[str, Any], line: Line, log_id: int) -> None:
    state["log"] = log_id
    state["report"] = state.get("report", False) or line.is_report
    if not line.asks_for_volume:
        state.pop("mount", None)
    elif "mount" not in state:
        state["mount"] = [time.time(), line.sentence]


def _tell(run: Run, line: Line, at: dt.datetime | None) -> None:
    is_fault = run.job.type == run.job.Type.VERIFY and line.is_difference
    level = Level.ERROR if is_fault else line.level
    tell: dict[str, Callable[[str, dt.datetime | None], None]] = {
        Level.INFO: run.info,
        Level.WARNING: run.warning,
        Level.ERROR: run.error,
    }
    tell[level](str(line), at)


def _require_volume(engine: Bacula, run: Run) -> None:
    """Raise EngineError when a storage has waited long enough for somebody to bring a volume."""
    since, words = run.job.engine_state.get("mount", (math.inf, ""))
    if time.time() - since >= engine.away_seconds:
        raise EngineError(f"No volume was mounted for {engine.away_seconds} seconds: {words}")


def _copy_report(engine: Bacula, run: Run) -> None:
    """Wait for the last lines; after a crash of the Director there are none."""
    deadline = time.monotonic() + REPORT_SECONDS
    while not _copy_log(engine, run) and time.monotonic() < deadline:
        time.sleep(0.05)


def _expect_as_before(run: Run, row: JobRow) -> None:
    """Expect as many bytes of a backup as the one before it of the same level had."""
    job, state = run.job, run.job.engine_state
    # Bacula may make it a full one after it has begun.
    if job.type != job.Type.BACKUP or state.get("expected") == row.level:
        return
    state["expected"] = row.level
    before = Job.objects.backups().good().filter(client=job.client_id, fileset=job.fileset_id)
    before = before.filter(engine=job.engine, level=LEVELS.get(row.level, job.level))
    sizes = before.order_by("-engine_job_id").values_list("bytes", flat=True)
    run.expect(sizes.first() or 0)


def _progress(director: Director, row: JobRow) -> Progress | None:
    try:
        return director.running(row.client).get(row.job_id)
    except EngineUnreachable:
        raise
    except EngineError:
        return None  # its client is no longer in the configuration


def _tell_progress(director: Director, run: Run, row: JobRow, done: tuple[int, int]) -> None:
    state, now = run.job.engine_state, time.time()
    if row.status != "R" or now < state.get("asked", 0) + ASK_SECONDS:
        return
    state["asked"] = now
    progress = _progress(director, row)
    if progress:
        run.tick(done[0] + progress.files, done[1] + progress.size)
