"""Starts each job in Bacula exactly once, even if a worker dies meanwhile, and cancels it."""

import logging
from collections.abc import Callable

from ....exceptions import EngineError, Unfinished
from ....models import Job
from ...values import Run
from ..names import Bacula
from . import follow

logger = logging.getLogger(__name__)


def comment_of(engine: Bacula, job: Job) -> str:
    """Return the comment by which a job in Bacula is recognized as ours."""
    return f"{engine.prefix}job {job.pk}"


def begin(engine: Bacula, run: Run, start: Callable[[str], int]) -> None:
    """Start a job in Bacula by ``start``, which is given a comment, and record its number.

    If a worker died between the two, the job is found again by its comment. Raises Unfinished.
    """
    job, comment = run.job, comment_of(engine, run.job)
    number = _find(engine, job)
    if number is None:
        _note_newest(engine, job)
        number = start(comment)
    job.engine_job_id = number
    follow.save(job)
    raise Unfinished


def cancel(engine: Bacula, job: Job) -> None:
    """Cancel a job in Bacula, if it is there; while it is unreachable, ``discard`` does so."""
    try:
        number = number_of(engine, job)
        if number is not None:
            with engine.director() as director:
                director.cancel(number)
    except EngineError as e:
        logger.warning("Job %s could not be canceled in Bacula yet: %s", job.pk, e)


def number_of(engine: Bacula, job: Job) -> int | None:
    """Return Bacula's number of a job; None if it was never started there."""
    return job.engine_job_id or _find(engine, job)


def _find(engine: Bacula, job: Job) -> int | None:
    """Return the number of a job that was started but not recorded, by its comment."""
    # Older jobs may have the same comment, from a database of this service that was lost.
    after = job.engine_state.get("after")
    return None if after is None else _with_comment(engine, comment_of(engine, job), after)


def _note_newest(engine: Bacula, job: Job) -> None:
    ((newest,),) = engine.reader().rows("SELECT coalesce(max(jobid), 0) FROM job")
    job.engine_state["after"] = newest
    follow.save(job)


def _with_comment(engine: Bacula, comment: str, after: int) -> int | None:
    query = "SELECT max(jobid) FROM job WHERE jobid > %s AND comment = %s"
    found: int | None
    ((found,),) = engine.reader().rows(query, [after, comment])
    return found
