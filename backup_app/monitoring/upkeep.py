"""Scheduled maintenance, and the alerts on their way."""

from django.db.models import Count, Max, Q

from ..models import AlertDelivery, AlertState, MaintenancePlan, MaintenanceRun
from ..models.alert import AlertEvent
from .families import gauge, timestamp

Status = MaintenanceRun.Status
LABELS = ["plan", "task", "of"]
DELIVERIES = dict.fromkeys(AlertDelivery.Status.values, 0)
PROBLEMS = {event: 0 for event in AlertEvent.values if event != AlertEvent.RECOVERED}


def families():
    """Yield the metrics of maintenance and alerts, with four queries."""
    plans = {plan.pk: plan for plan in _plans()}
    newest = MaintenanceRun.objects.filter(pk__in=[plan.newest for plan in plans.values()])
    failing = {run.plan_id: run.status != Status.COMPLETED for run in newest}
    yield gauge(
        "backup_maintenance_last_success_timestamp_seconds",
        "When a plan of maintenance last ended without problems.",
        LABELS,
        {_labels(plan): timestamp(plan.succeeded) for plan in plans.values()},
    )
    yield gauge(
        "backup_maintenance_failing",
        "1 if the last run of a plan of maintenance failed or found problems.",
        LABELS,
        {_labels(plan): failing.get(plan.pk) for plan in plans.values()},
    )
    yield _counts("backup_alert_deliveries", "Messages of alerts.", "state", _deliveries())
    problems = AlertState.objects.order_by().values_list("event")
    counts = PROBLEMS | dict(problems.annotate(Count("subject", distinct=True)))
    yield _counts("backup_alert_problems", "Problems that alerts have told.", "event", counts)


def _plans():
    ended = Q(runs__ended__isnull=False)
    return (
        MaintenancePlan.objects.filter(enabled=True)
        .select_related("pool", "storage")
        .annotate(
            newest=Max("runs", filter=ended),
            succeeded=Max("runs__ended", filter=Q(runs__status=Status.COMPLETED)),
        )
    )


def _labels(plan):
    return str(plan.pk), plan.task, str(plan.pool or plan.storage)


def _deliveries():
    return DELIVERIES | dict(
        AlertDelivery.objects.order_by().values_list("status").annotate(Count("pk"))
    )


def _counts(name, description, label, counts):
    return gauge(name, description, [label], {(value,): count for value, count in counts.items()})
