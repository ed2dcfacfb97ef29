"""Summaries of a day or a week: how the clients are protected, what ran, what is wrong."""

import datetime as dt
from collections import Counter
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet, Sum
from django.utils import timezone

from ..lib import cron
from ..lib.formatting import counted, size
from ..models import AlertRule, Client, Job
from ..services.reports import protection
from . import deliveries

# In the server's time zone.
TIMES = {AlertRule.Summary.DAILY: "0 8 * * *", AlertRule.Summary.WEEKLY: "0 8 * * 1"}
PERIODS = {AlertRule.Summary.DAILY: dt.timedelta(1), AlertRule.Summary.WEEKLY: dt.timedelta(7)}
MAX_NAMED = 50  # clients and jobs in one message


def send_due() -> int:
    """Make the summaries that are due; return how many. Of several workers one makes each."""
    AlertRule.objects.filter(summary="").exclude(summarized=None).update(summarized=None)
    now, made = timezone.now(), 0
    for rule in AlertRule.objects.active().exclude(summary=""):
        if rule.summarized is None:
            AlertRule.objects.filter(pk=rule.pk, summarized=None).update(summarized=now)
        elif cron.next_time(TIMES[AlertRule.Summary(rule.summary)], rule.summarized) <= now:
            made += _make(rule, now)
    return made


@transaction.atomic
def _make(rule: AlertRule, now: dt.datetime) -> bool:
    mine = AlertRule.objects.filter(pk=rule.pk, summarized=rule.summarized).update(summarized=now)
    if mine:
        since = now - PERIODS[AlertRule.Summary(rule.summary)]
        title, text, data = summary(rule, since)
        deliveries.add(rule, "summary", title, text, data)
    return mine == 1


def summary(rule: AlertRule, since: dt.datetime) -> tuple[str, str, dict[str, Any]]:
    """Return the title, text and data of a summary of what a rule is about."""
    clients = _clients(rule)
    found = protection.of_clients(clients.select_related("account", "fileset"))
    jobs = Job.objects.filter(client__in=clients.order_by().values("pk"), ended__gte=since)
    states = Counter(each.state for each in found)
    ended = _counts(jobs)
    backed_up = (
        jobs.backups()
        .good()
        .aggregate(read=Sum("bytes", default=0), stored=Sum("stored_bytes", default=0))
    )
    overdue = [each.client.name for each in found if each.is_overdue]
    failed = list(jobs.filter(status=Job.Status.FAILED).order_by("-pk")[:MAX_NAMED])
    lines = [
        f"{counted(len(found), 'client')}: {_listed(states)}.",
        f"Jobs that ended since {since:%Y-%m-%d %H:%M} UTC: {_listed(ended)}.",
        f"Backups read {size(backed_up['read'])} and stored {size(backed_up['stored'])}.",
        *(f"Overdue: {name}" for name in overdue[:MAX_NAMED]),
        *(f"Failed: {job.type} {job.pk} of {job.name}: {job.message}" for job in failed),
    ]
    problems = len(overdue) + ended["failed"]
    title = f"Backups: {counted(problems, 'problem')}" if problems else "Backups: all is well"
    data = {
        "since": since.isoformat(),
        "clients": dict(states),
        "jobs": dict(ended),
        **backed_up,
        "overdue": overdue[:MAX_NAMED],
        "failed": [{"id": job.pk, "name": job.name, "message": job.message} for job in failed],
    }
    return title, "\n".join(lines), data


def _clients(rule: AlertRule) -> QuerySet[Client]:
    clients = Client.objects.present()
    if rule.account_id:
        clients = clients.filter(account=rule.account_id)
    return clients.filter(alert_rules=rule) if rule.clients.exists() else clients


def _counts(jobs: QuerySet[Job]) -> Counter[str]:
    return Counter(dict(jobs.order_by().values_list("status").annotate(Count("pk"))))


def _listed(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items())) or "none"
