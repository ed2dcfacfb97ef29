"""Logs of adopted jobs, which are copied when they are first read."""

import logging

from django.db import transaction
from django.utils import timezone

from ...engines import get_engine
from ...engines.adoption import FoundLine
from ...exceptions import BackupError, InvalidEngine
from ...lib.formatting import storable
from ...models import Job, JobLog
from ..job_run import MAX_LINE, MAX_LINES

logger = logging.getLogger(__name__)


def bring_log(job: Job) -> None:
    """Copy the log of a job that had ended before it was adopted, unless that was done.

    What keeps the engine from telling it is logged.
    """
    state = job.engine_state
    if job.is_open or "adopted" not in state or "log" in state:
        return
    try:
        lines = get_engine(job.engine).job_log(job)[:MAX_LINES]
    except (BackupError, InvalidEngine) as e:
        logger.warning("The log of job %s could not be completed: %s", job.pk, e)
        return
    state = state | {"log": lines[-1].number if lines else 0}
    with transaction.atomic():
        # If several processes read it at once, only one copies it.
        jobs = Job.objects.filter(pk=job.pk, engine_state__log__isnull=True)
        if jobs.update(engine_state=state):
            JobLog.objects.bulk_create(_record(job, line) for line in lines)


def _record(job: Job, line: FoundLine) -> JobLog:
    message = storable(line.message)[:MAX_LINE]
    return JobLog(
        job=job, time=line.time or job.ended or timezone.now(), level=line.level, message=message
    )
