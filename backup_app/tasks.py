"""The tasks by the names that they had before 0.1, which queues may still hold. To go with 0.2."""

from .jobs.tasks import run_job, run_next_job
from .services.downloads import prepare_download

__all__ = ["prepare_download", "run_job", "run_next_job"]
