"""Jobs that others than this service start in its engines, also by schedules that it gave them."""

import logging

from ..conf import conf
from ..engines import get_engine
from ..exceptions import BackupError, InvalidEngine

logger = logging.getLogger(__name__)
REFUSALS = {
    "adopt_jobs": "does not tell which jobs it has",
    "keep_schedules": "does not learn the schedules of its clients",
}
# What an engine said when it was last asked for something.
_complaints: dict[tuple[str, str], str] = {}


def adopt_jobs() -> int:
    """Let the jobs that were started elsewhere appear here; return how many are new.

    What keeps an engine from telling is logged once, until it changes.
    """
    return sum(_ask(alias, "adopt_jobs") or 0 for alias in conf.engines)


def bring_log(job) -> None:
    """Complete the log of a job that was started elsewhere; what keeps us from that is logged."""
    try:
        get_engine(job.engine).bring_log(job)
    except (BackupError, InvalidEngine) as e:
        logger.warning("The log of job %s could not be completed: %s", job.pk, e)


def keep_schedules() -> None:
    """Let the engines that start scheduled backups themselves know when; log as ``adopt_jobs``."""
    for alias in conf.engines:
        _ask(alias, "keep_schedules")


def _ask(alias, verb):
    try:
        found = getattr(get_engine(alias), verb)()
    except (BackupError, InvalidEngine) as e:
        _complain(alias, verb, str(e))
        return None
    _complaints.pop((alias, verb), None)
    return found


def _complain(alias, verb, words):
    if _complaints.get((alias, verb)) != words:
        logger.warning("The engine '%s' %s: %s", alias, REFUSALS[verb], words)
    _complaints[alias, verb] = words
