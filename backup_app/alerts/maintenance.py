"""Findings of scheduled maintenance."""

from ..models import MaintenanceRun
from ..models.alert import AlertEvent
from . import rules
from .findings import Finding, link

GOOD = MaintenanceRun.Status.COMPLETED
MAX_LINES = 10


def notice(run: MaintenanceRun) -> None:
    """Tell how a run of maintenance went."""
    rules.tell(finding_of(run), rules.active())


def finding_of(run: MaintenanceRun) -> Finding:
    plan = run.plan
    how = {GOOD: "succeeded", MaintenanceRun.Status.PROBLEMS: "found problems"}
    account = plan.pool and plan.pool.account.get_username()
    record = {
        "id": plan.pk,
        "task": plan.task,
        "pool": plan.pool and plan.pool.name,
        "storage": plan.storage and plan.storage.name,
        "status": run.status,
        "message": run.message,
        "problems": run.problems[:MAX_LINES],
    }
    return Finding(
        subject=f"maintenance {plan.pk}",
        event="" if run.status == GOOD else AlertEvent.MAINTENANCE_FAILED,
        title=f"The scheduled {plan} {how.get(MaintenanceRun.Status(run.status), 'failed')}.",
        text="\n".join([run.message, *run.problems[:MAX_LINES]]),
        data={"account": account, "maintenance": record, **link("maintenanceplan", plan.pk)},
        maintenance=plan,
    )
