"""Making a backup: list, compare, read, store, catalog."""

from ..base import Outcome, Run


def back_up(engine, run: Run) -> Outcome:
    """Back up what ``run.job`` says; see ``Engine.backup``."""
    raise NotImplementedError


def discard(job) -> None:
    """Remove the rows and files of a job that did not succeed."""
