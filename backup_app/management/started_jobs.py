from django.core.management.base import CommandError

from ..api import representations
from ..lib.formatting import counted, size
from ..models import Job
from .following import follow

OPERATOR = "operator"  # whom a job is requested by
NOUNS = {"verify": "verification"}


def answer_started(command, jobs: list[Job], *, wait: bool, one: bool = True):
    """Say which jobs were started and, when told to wait for them, how they ended.

    Raises CommandError when one of them failed.
    """
    if wait:
        jobs = [follow(job) for job in jobs]
    records = [representations.job(job) for job in jobs]
    failed = [job for job in jobs if _has_failed(job)]
    lines = [_sentence(job) for job in jobs if job not in failed]
    if lines or command.is_json:
        command.answer(records[0] if one else {"jobs": records}, "\n".join(lines))
    if failed:
        raise CommandError("\n".join(_sentence(job) for job in failed))


def _has_failed(job):
    # A verification that found something ends with warnings.
    good = ["completed"] if job.type == Job.Type.VERIFY else ["completed", "warnings"]
    return not job.is_open and job.status not in good


def _sentence(job):
    level = f"{job.level} " if job.level else ""
    what = f"Job {job.pk}, {level}{NOUNS.get(job.type, job.type)} of client '{job.client}'"
    if job.is_open:
        return f"{what}, is {job.status}."
    return f"{what}, {_end(job)}"


def _end(job):
    words = f": {job.message}" if job.message else "."
    if job.status in ("completed", "warnings"):
        found = f" with {counted(job.errors, 'warning')}" if job.errors else ""
        return f"completed{found}: {counted(job.files, 'file')}, {size(job.bytes)}."
    return f"{'was canceled' if job.status == 'canceled' else 'failed'}{words}"
