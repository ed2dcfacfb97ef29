"""The job that a thread works on, for the log formatter of a project."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

job_id: ContextVar[int | None] = ContextVar("backup_job_id", default=None)


@contextmanager
def about_job(pk: int) -> Iterator[None]:
    """Set ``job_id`` until the end of the block."""
    token = job_id.set(pk)
    try:
        yield
    finally:
        job_id.reset(token)
