"""Each plan of maintenance: how its last run went, whether one is overdue; pools without a plan."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from django.db.models import OuterRef, Subquery
from django.utils import timezone

from ..lib import cron
from ..lib.formatting import counted, format_time
from ..models import Job, MaintenancePlan, MaintenanceRun, Pool
from .finding import Finding, failed, ok, skipped

LATE = dt.timedelta(hours=1)  # a worker looks every few seconds for what is due
OPEN = [MaintenanceRun.Status.QUEUED, MaintenanceRun.Status.RUNNING]
NAMED = 5  # pools
SEE = "See Maintenance plans in the admin, mend what it names, and use 'Run now'."
WORKER = "Start a worker with 'manage.py serve' or 'manage.py worker', or see its log."
SCHEDULE = "Correct its schedule under Maintenance plans in the admin."
SHOULD = {
    MaintenancePlan.Task.PRUNE: "prunes",
    MaintenancePlan.Task.VERIFY: "verifies",
}


def examine() -> Iterator[Finding]:
    """Yield how each plan does, and what pools have none, with three queries for all of them."""
    plans = MaintenancePlan.objects.filter(enabled=True).select_related("pool", "storage")
    newest = MaintenanceRun.objects.filter(plan=OuterRef("pk")).order_by("-pk").values("pk")
    ended = newest.exclude(status__in=OPEN)
    annotated = plans.annotate(newest=Subquery(newest[:1]), last=Subquery(ended[:1]))
    found: list[Any] = list(annotated)
    runs = MaintenanceRun.objects.in_bulk({pk for plan in found for pk in (plan.newest, plan.last)})
    for plan in found:
        yield _of_a_plan(plan, runs.get(plan.newest), runs.get(plan.last))
    yield from _of_pools(found)
    if not found:
        yield skipped("Nothing is done on a schedule: make a maintenance plan in the admin.")


def _of_a_plan(
    plan: MaintenancePlan, newest: MaintenanceRun | None, last: MaintenanceRun | None
) -> Finding:
    now, name = timezone.now(), str(plan)
    try:
        due = cron.next_time(plan.schedule, plan.scheduled or now)
    except ValueError as e:
        return failed(str(e), SCHEDULE, name)
    if due < now - LATE:
        return failed(f"A run was due {format_time(due)}, and none has begun.", WORKER, name)
    if newest and newest.status == MaintenanceRun.Status.QUEUED and newest.created < now - LATE:
        return failed(f"A run waits since {format_time(newest.created)}.", WORKER, name)
    if last is None:
        return ok(f"No run yet; the next is {format_time(due)}.", name)
    if last.status == MaintenanceRun.Status.COMPLETED:
        return ok(f"The last run succeeded, {format_time(last.ended)}.", name)
    how = "failed" if last.status == MaintenanceRun.Status.FAILED else "found problems"
    words = " ".join([last.message, *last.problems[:1]])
    return failed(f"The last run {how}, {format_time(last.ended)}: {words}", SEE, name)


def _of_pools(plans: list[MaintenancePlan]) -> Iterator[Finding]:
    """Yield what is done to no backups of some pools; it may be done without a plan, as by cron."""
    used = Pool.objects.filter(pk__in=Job.objects.backups().good().values("pool"))
    pools = list(used.order_by("name", "pk"))
    for task, does in SHOULD.items():
        done = {plan.pool_id for plan in plans if plan.task == task}
        if task == MaintenancePlan.Task.PRUNE:
            done |= {pool.pk for pool in pools if pool.is_adopted}  # by their engine
        if without := [f"'{pool}'" for pool in pools if pool.pk not in done]:
            more = [f"{len(without) - NAMED} more"] if len(without) > NAMED else []
            named = ", ".join([*without[:NAMED], *more])
            yield skipped(f"No plan {does} {counted(len(without), 'pool')}: {named}.")
