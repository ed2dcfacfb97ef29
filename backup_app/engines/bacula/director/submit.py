"""Starts each job in Bacula exactly once, even if a worker dies meanwhile."""

from collections.abc import Callable

from ....exceptions import Unfinished
from ....models import Job
from ...base import Run
from ..names import Bacula
from . import follow


def comment_of(engine: Bacula, job: Job) -> str:
    """Return the comment by which a job in Bacula is recognized as ours."""
    return f"{engine.prefix}job {job.pk}"


def begin(engine: Bacula, run: Run, start: Callable[[str], int]) -> None:
    """Start a job in Bacula by ``start``, which is given a comment, and record its number.

    If a worker died between the two, the job is found again by its comment. Raises Unfinished.
    """
    job, comment = run.job, comment_of(engine, run.job)
    number = find(engine, job)
    if number is None:
        _note_newest(engine, job)
        number = start(comment)
    job.engine_job_id = number
    follow.save(job)
    raise Unfinished


def find(engine: Bacula, job: Job) -> int | None:
    """Return the number of the job that was begun, where that could not be noted."""
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
