"""The sections of the start page, each for who may see the records behind it."""

from datetime import timedelta
from typing import NamedTuple
from urllib.parse import urlencode

from django.db.models import OuterRef, Subquery
from django.urls import reverse
from django.utils import timezone

from ...accounts import staff
from ...models import Client, Job, JobLog, Pool, Storage, Usage
from ...services import storages
from ...services.reports import protection, storage_space, usage
from ...services.reports.protection import Standing
from ..shared import columns
from . import chart

ROWS = 8  # of a section
FAILED_DAYS = 7


class Figure(NamedTuple):
    """A number, and the list of what it counts."""

    number: int
    name: str
    colour: str
    address: str


class Alarm(NamedTuple):
    """A client that is not protected, and why."""

    client: Client
    standing: Standing
    colour: str
    reason: str


def of(request):
    """Return the sections that the user may see, as the context of their template."""
    user = request.user
    sections = {}
    if user.has_perm("backup_app.view_client"):
        clients = staff.visible(user, Client.objects.present())
        sections |= clients_section(clients)
    if user.has_perm("backup_app.view_job"):
        jobs = staff.visible(user, Job.objects.all())
        sections |= running_section(jobs) | failed_section(jobs)
    if user.has_perm("backup_app.view_storage"):
        found = Storage.objects.select_related("zone")
        if not user.has_perm(staff.SEES_ALL):
            pools = staff.visible(user, Pool.objects.all())
            found = found.filter(pk__in=pools.values("storage"))
        sections["storages"] = [_storage(*each) for each in _spaces(found)]
    if "figures" in sections:
        points = usage.history(staff.visible(user, Usage.objects.all()))
        sections["chart"] = chart.of(points)
    return sections


def clients_section(clients):
    found = protection.by_standing(clients)
    figures = [
        Figure(len(those), standing.label, columns.STANDING_COLOURS[standing], _clients(standing))
        for standing, those in found.items()
    ]
    alarms = [
        Alarm(client, standing, columns.STANDING_COLOURS[standing], protection.reason(client))
        for standing, those in found.items()
        if standing != Standing.PROTECTED
        for client in those
    ]
    return {"figures": figures, "alarms": alarms[:ROWS], "more_alarms": len(alarms[ROWS:])}


def running_section(jobs):
    """Return what is queued and running; this section is fetched again and again."""
    open_jobs = jobs.open().select_related("client").order_by("-status", "pk")
    return {
        "running": open_jobs[:ROWS],
        "running_total": open_jobs.count(),
        "running_address": _list("job", status__in="queued,running,canceling"),
    }


def failed_section(jobs):
    since = timezone.now() - timedelta(days=FAILED_DAYS)
    first = JobLog.objects.filter(job=OuterRef("pk"), level=JobLog.Level.ERROR).order_by("pk")
    failed = jobs.filter(status=Job.Status.FAILED, ended__gte=since).order_by("-ended")
    found = failed.select_related("client").annotate(error=Subquery(first.values("message")[:1]))
    return {
        "failed": found[:ROWS],
        "failed_total": failed.count(),
        "failed_address": _list(
            "job", status__exact="failed", ended__gte=since.isoformat(timespec="seconds")
        ),
        "failed_days": FAILED_DAYS,
    }


def _spaces(found):
    found = list(found)
    growth = usage.growth()
    readers = storage_space.readers(found, storages.used_bytes(found))
    return [(reader, growth.get(reader.storage.pk)) for reader in readers]


def _storage(reader, growth):
    space = reader.space
    used, free = space.get("used"), space.get("free")
    # Others may use the disk, too: what is used and free is less than the capacity then.
    total = None if used is None or free is None else used + free
    full = usage.full_on(free, growth)
    return {
        "storage": reader.storage,
        "used": columns.size(used),
        "free": columns.size(free),
        "total": columns.size(total),
        "percent": round(used * 100 / total) if total else None,
        "growth": growth and columns.size(round(growth * usage.GROWTH_DAYS)),
        "full": full,
        "days": full and (full - timezone.localdate()).days,
    }


def _clients(standing):
    return _list("client", protection=standing.value)


def _list(model, **query):
    return f"{reverse(f'admin:backup_app_{model}_changelist')}?{urlencode(query)}"
