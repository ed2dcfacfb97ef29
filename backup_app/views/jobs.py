"""Jobs: what there are, how they go, to start and to cancel them."""

from datetime import timedelta

from django.db.models import Q

from .. import access, adoption, jobs, shapes
from ..conf import conf
from ..descriptions import Canceled, JobAnswer, JobLogAnswer, Jobs, JobsPage, JobStarted
from ..engines import get_engine
from ..operation import operation
from ..pages import page
from ..serializers.jobs import BackupOptions, BackupsOptions, JobsOptions

SECOND = timedelta(seconds=1)


@operation(
    1,
    topic="jobs",
    answer=Jobs,
    options=BackupsOptions,
    subusers=True,
    refusals=(404, 502, 503),
    example={"path": "/etc", "from": "2030-01-01 00:00:00", "to": "2030-01-31 23:59:59"},
)
def backups(request, client_ip):
    """List the backups of a client, newest first.

    All of them, also those that wait, run or failed. With ``path`` only those that a restore of
    it could be made from; with ``from`` or ``to`` only those that started within that time.
    """
    options = request.options
    client = access.client(request.caller, ip=client_ip)
    found = access.jobs(request.caller).backups().filter(client=client, **_started(options))
    if options.get("path"):
        found = found.filter(_has_path(found, options["path"]))
    rows, total = page(found, offset=options["offset"], limit=options.get("limit"))
    return {"jobs": [shapes.job(row) for row in rows], "total": total}


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
    """Follow a job.

    A backup, a restore or a verification: its status, progress and last message.
    """
    return shapes.job(access.job(request.caller, job_id))


@operation(9, "GET", topic="jobs", answer=Canceled, writes=True, refusals=(404, 409, 502, 503))
def cancel(request, job_id):
    """Cancel a job.

    One that is queued is canceled at once. One that runs is "canceling", and canceled within
    seconds; nothing of it is left. One that has ended is refused.
    """
    job = jobs.cancel(access.job(request.caller, job_id), request.caller.login)
    return {"job_id": job.pk, "status": job.status}


@operation(
    21,
    topic="jobs",
    answer=JobsPage,
    options=JobsOptions,
    subusers=True,
    example={"subuser": "sam", "status": "completed", "limit": 50, "offset": 0},
)
def my_jobs(request):
    """List the jobs of all clients, newest first.

    Backups, restores and verifications of a subuser's clients, or of all that the account has.
    """
    limit = request.options.get("limit", min(conf.PAGE_SIZE, conf.MAX_PAGE_SIZE))
    offset = request.options["offset"]
    found = access.jobs(request.caller)
    if request.options.get("status"):
        found = found.filter(status=request.options["status"])
    rows, total = page(found, offset=offset, limit=limit)
    shown = [shapes.job(row) for row in rows]
    return {"jobs": shown, "total": total, "limit": limit, "offset": offset}


@operation(
    23,
    topic="jobs",
    answer=JobStarted,
    options=BackupOptions,
    writes=True,
    refusals=(404, 409, 502, 503),
    example={"fileset": "etc", "pool": "daily"},
)
def backup_now(request, client_ip, level):
    """Back up a client now.

    The level is full, incremental or differential, or F, I or D. Without a full backup to build
    on, the backup becomes a full one and says so in its log.
    """
    caller, options = request.caller, request.options
    client = access.client(caller, ip=client_ip)
    named = {"fileset": access.fileset, "pool": access.pool}
    instead = {
        what: find(caller, options[what]) for what, find in named.items() if options.get(what)
    }
    job = jobs.start_backup(client, level=level, **instead, by=caller.login)
    return {"job_id": job.pk}


@operation(35, topic="jobs", answer=JobLogAnswer, subusers=True, example={"subuser": "sam"})
def job_log(request, job_id):
    """Read what a job wrote into its log, oldest first."""
    job = access.job(request.caller, job_id)
    adoption.bring_log(job)
    lines = job.log.values_list("time", "level", "message")
    return {"job_id": job.pk, "log": [shapes.log_line(*line) for line in lines]}
