"""Which job the log lines of a thread are about, for the formatter of a project."""

from contextlib import contextmanager
from contextvars import ContextVar

job_id: ContextVar[int | None] = ContextVar("backup_job_id", default=None)


@contextmanager
def about_job(pk: int):
    """Let ``job_id`` be that of a job, until the block ends."""
    token = job_id.set(pk)
    try:
        yield
    finally:
        job_id.reset(token)
