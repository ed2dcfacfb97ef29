"""Findings of jobs that have ended, each of which is looked at once."""

import datetime as dt
from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from ..lib.formatting import counted
from ..models import AlertRule, Job, JobLog
from ..models.alert import AlertEvent
from . import rules
from .findings import Finding, about_client, link

Status, Type = Job.Status, Job.Type
ENDED = [Status.COMPLETED, Status.WARNINGS, Status.FAILED, Status.CANCELED]
HISTORY = dt.timedelta(days=3)  # jobs that were adopted or rebuilt: what they say is no news
AT_ONCE = 500
MAX_LINES = 5  # of a job's log in a message


def look() -> int:
    """Tell of the jobs that have ended since the last time; return how many there were."""
    new = Job.objects.filter(noticed=False, status__in=ENDED)
    old = Q(ended=None) | Q(ended__lt=timezone.now() - HISTORY)
    new.filter(old).update(noticed=True)
    jobs = list(new.select_related("client__account", "parent").order_by("ended", "pk")[:AT_ONCE])
    active = rules.active() if jobs else []
    for job in jobs:
        _notice(job, active)
    return len(jobs)


@transaction.atomic
def _notice(job: Job, active: Sequence[AlertRule]) -> None:
    # Of several workers one tells.
    is_mine = Job.objects.filter(pk=job.pk, noticed=False).update(noticed=True)
    if is_mine and active and job.status != Status.CANCELED:
        rules.tell(finding_of(job), active)


def finding_of(job: Job) -> Finding:
    """Return what the end of a job says of its client or, if it is a verification, its backup."""
    is_verification = job.type == Type.VERIFY
    subject = f"{job.type} of client {job.client_id}"
    if "sample" in job.request:
        is_verification, subject = False, f"restore test of client {job.client_id}"
    elif is_verification:
        subject = f"verification of backup {job.parent_id}"
    return Finding(
        subject=subject,
        event=_event(job),
        title=_title(job),
        text="\n".join([job.message, *_first_errors(job)]),
        data={**about_client(job.client), "job": _record(job), **link("job", job.pk)},
        client=job.client,
        backup=job.parent if is_verification else None,
    )


def _event(job: Job) -> str:
    if job.status == Status.WARNINGS:
        return AlertEvent.JOB_WARNINGS
    if job.status != Status.FAILED:
        return ""
    is_verification = job.type == Type.VERIFY
    return AlertEvent.VERIFICATION_FAILED if is_verification else AlertEvent.JOB_FAILED


def _title(job: Job) -> str:
    what = {
        Type.BACKUP: f"The backup of client '{job.client}'",
        Type.RESTORE: f"A restore to client '{job.client}'",
        Type.VERIFY: f"The verification of backup {job.parent_id} of client '{job.client}'",
    }[Type(job.type)]
    if "sample" in job.request:
        what = f"The restore test of backup {job.parent_id} of client '{job.client}'"
    if job.status == Status.WARNINGS:
        return f"{what} ended with {counted(job.errors, 'warning')}."
    return f"{what} failed." if job.status == Status.FAILED else f"{what} succeeded."


def _first_errors(job: Job) -> list[str]:
    """Return the first errors and warnings of the log, without the one that is the message."""
    if job.status == Status.COMPLETED:
        return []
    lines = JobLog.objects.filter(job=job).exclude(level=JobLog.Level.INFO)
    found = lines.exclude(message=job.message).values_list("level", "message")[:MAX_LINES]
    return [f"{level}: {message}" for level, message in found]


def _record(job: Job) -> dict[str, object]:
    return {
        "id": job.pk,
        "type": job.type,
        "level": job.level,
        "status": job.status,
        "message": job.message,
        "errors": job.errors,
        "files": job.files,
        "bytes": job.bytes,
        "backup": job.parent_id,
        "started": job.started and job.started.isoformat(),
        "ended": job.ended and job.ended.isoformat(),
    }
