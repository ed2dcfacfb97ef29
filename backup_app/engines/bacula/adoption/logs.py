"""Logs of adopted jobs, which are copied when somebody first reads them."""

from django.db import transaction

from ....jobs.job_run import LONGEST_LINE, MOST_KEPT
from ....lib.formatting import storable
from ....models import Job, JobLog
from ..catalog.job_log import Line


def bring_log(engine, job: Job) -> None:
    """Copy the log of a job that had ended before it was adopted, unless that was done.

    Raises EngineUnreachable and EngineError.
    """
    state = job.engine_state
    if job.is_open or "adopted" not in state or "log" in state:
        return
    rows = engine.reader().log_after(job.engine_job_id)[:MOST_KEPT]
    state = state | {"log": rows[-1].log_id if rows else 0}
    with transaction.atomic():
        # Of several who read it at once one copies it.
        jobs = Job.objects.filter(pk=job.pk, engine_state__log__isnull=True)
        if jobs.update(engine_state=state):
            JobLog.objects.bulk_create(_line(job, row) for row in rows)


def _line(job, row):
    line = Line.read(row.text)
    message = storable(str(line))[:LONGEST_LINE]
    return JobLog(job=job, time=row.time or job.ended, level=line.level, message=message)
