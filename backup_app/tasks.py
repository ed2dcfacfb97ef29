"""The tasks by the names that they had before 0.1, which queues may still hold. To go with 0.2."""

from .jobs.tasks import prepare_download, run_job, run_next_job

__all__ = ["prepare_download", "run_job", "run_next_job"]
