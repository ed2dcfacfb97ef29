"""Jobs that others than this service start in its engines."""

import logging

from .conf import conf
from .engines import get_engine
from .exceptions import BackupError, InvalidEngine

logger = logging.getLogger(__name__)
_complaints: dict[str, str] = {}  # what an engine said when it was last asked


def adopt_jobs() -> int:
    """Let the jobs that were started elsewhere appear here; return how many are new.

    What keeps an engine from telling is logged once, until it changes.
    """
    return sum(_adopt_from(alias) for alias in conf.engines)


def bring_log(job) -> None:
    """Complete the log of a job that was started elsewhere; what keeps us from that is logged."""
    try:
        get_engine(job.engine).bring_log(job)
    except (BackupError, InvalidEngine) as e:
        logger.warning("The log of job %s could not be completed: %s", job.pk, e)


def _adopt_from(alias):
    try:
        found = get_engine(alias).adopt_jobs()
    except (BackupError, InvalidEngine) as e:
        _complain(alias, str(e))
        return 0
    _complaints.pop(alias, None)
    return found


def _complain(alias, words):
    if _complaints.get(alias) != words:
        logger.warning("The engine '%s' does not tell which jobs it has: %s", alias, words)
    _complaints[alias] = words
