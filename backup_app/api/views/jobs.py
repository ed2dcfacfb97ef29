"""Listing, starting, following and canceling jobs."""

from datetime import timedelta

from django.db.models import Q

from ...accounts import access
from ...conf import conf
from ...engines import get_engine
from ...jobs import control
from ...jobs.adoption.logs import bring_log
from ..operation import operation
from ..serializers.jobs import (
    BackupOptions,
    BackupsOptions,
    Canceled,
    JobAnswer,
    JobLogAnswer,
    Jobs,
    JobsOptions,
    JobsPage,
    JobStarted,
)

SECOND = timedelta(seconds=1)


@operation(
    1,
    topic="jobs",
    answer=Jobs,
    options=BackupsOptions,
    subusers=True,
    refusals=(404, 502, 503),
)
def backups(request, client_ip):
    """List a client's backups.

    Newest first, with any status. ``path`` keeps the backups that it can be restored from, ``from``
    and ``to`` those that started in this period.
    """
    options = request.options
    client = access.client(request.caller, ip=client_ip)
    found = access.jobs(request.caller).backups().filter(client=client, **_started(options))
    if options.get("path"):
        found = found.filter(_has_path(found, options["path"]))
    rows, total = _page(found, offset=options["offset"], limit=options.get("limit"))
    return {"jobs": rows, "total": total}


def _page(queryset, *, offset: int = 0, limit: int | None = None) -> tuple[list, int]:
    """Return a part of the rows, or all from ``offset`` on, and how many there are altogether."""
    rows = list(queryset[offset:] if limit is None else queryset[offset:][:limit])
    whole = not offset and (limit is None or len(rows) < limit)
    return rows, len(rows) if whole else queryset.count()


def _started(options):
    """Return what limits jobs to a period; the second that it ends with belongs to it."""
    bounds = {}
    if "from" in options:
        bounds["started__gte"] = options["from"]
    if "to" in options:
        bounds["started__lt"] = options["to"] + SECOND
    return bounds


def _has_path(found, path):
    aliases = found.order_by().values_list("engine", flat=True).distinct()
    has_path = Q(pk=None)
    for alias in aliases:
        those = get_engine(alias).jobs_with_path(found.filter(engine=alias), path)
        has_path |= Q(pk__in=those.order_by().values("pk"))
    return has_path


@operation(7, "GET", topic="jobs", answer=JobAnswer, subusers=True)
def status(request, job_id):
    """Get a job.

    The status, progress and last message of a backup, restore or verification.
    """
    return access.job(request.caller, job_id)


@operation(9, "GET", topic="jobs", answer=Canceled, writes=True, refusals=(403, 404, 409, 502, 503))
def cancel(request, job_id):
    """Cancel a job.

    A queued job is canceled at once. A running one is ``canceling`` and within seconds canceled,
    and leaves nothing behind. A finished one is refused.
    """
    return control.cancel(access.cancelable_job(request.caller, job_id), request.caller.login)


@operation(
    21,
    topic="jobs",
    answer=JobsPage,
    options=JobsOptions,
    subusers=True,
)
def my_jobs(request):
    """List jobs.

    Backups, restores and verifications, newest first: of the clients granted to ``subuser``, or of
    the whole account.
    """
    limit = request.options.get("limit", min(conf.PAGE_SIZE, conf.MAX_PAGE_SIZE))
    offset = request.options["offset"]
    found = access.jobs(request.caller)
    if request.options.get("status"):
        found = found.filter(status=request.options["status"])
    rows, total = _page(found, offset=offset, limit=limit)
    return {"jobs": rows, "total": total, "limit": limit, "offset": offset}


@operation(
    23,
    topic="jobs",
    answer=JobStarted,
    options=BackupOptions,
    writes=True,
    refusals=(404, 409, 502, 503),
)
def backup_now(request, client_ip, level):
    """Back up a client.

    Starts a job. Without a full backup to build on, the level becomes Full and the job's log says
    so.
    """
    caller, options = request.caller, request.options
    client = access.client(caller, ip=client_ip)
    named = {"fileset": access.fileset, "pool": access.pool}
    instead = {
        what: find(caller, options[what]) for what, find in named.items() if options.get(what)
    }
    return control.start_backup(client, level=level, **instead, by=caller.login)


@operation(35, topic="jobs", answer=JobLogAnswer, subusers=True)
def job_log(request, job_id):
    """Get a job's log.

    The oldest line comes first.
    """
    job = access.job(request.caller, job_id)
    bring_log(job)
    return {"job_id": job.pk, "log": job.log.values("time", "level", "message")}
