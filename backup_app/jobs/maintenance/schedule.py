"""Starts the maintenance that is due."""

import datetime as dt
import logging

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from ...exceptions import WrongState
from ...lib import cron
from ...models import MaintenancePlan, MaintenanceRun
from . import runs

logger = logging.getLogger(__name__)


def start_due() -> int:
    """Start each plan that is due; return how many.

    However many times were missed while no worker ran, one run makes up for them. Of several
    workers only one starts it.
    """
    now = timezone.now()
    MaintenancePlan.objects.filter(enabled=False).exclude(scheduled=None).update(scheduled=None)
    undone = Q(scheduled=None) | Q(scheduled__lt=now.replace(second=0, microsecond=0))
    plans = MaintenancePlan.objects.filter(undone, enabled=True)
    return sum(_start(plan, now) for plan in plans.select_related("pool", "storage"))


def start(plan: MaintenancePlan, by: str) -> MaintenanceRun:
    """Queue a run of a plan; raises WrongState while one is queued or running."""
    try:
        with transaction.atomic():
            run: MaintenanceRun = MaintenanceRun.objects.create(plan=plan, requested_by=by)
            transaction.on_commit(lambda: runs.enqueue(run.pk))
    except IntegrityError as e:
        raise WrongState(f"The {plan} is queued or running already.") from e
    return run


@transaction.atomic
def _start(plan: MaintenancePlan, now: dt.datetime) -> bool:
    is_due = _is_due(plan, now)
    # The condition on the time that was read lets only one worker through.
    same = MaintenancePlan.objects.filter(pk=plan.pk, scheduled=plan.scheduled)
    if not same.update(scheduled=now) or not is_due:
        return False
    try:
        start(plan, "schedule")
    except WrongState as e:
        logger.warning("Scheduled maintenance did not start: %s", e)
        return False
    return True


def _is_due(plan: MaintenancePlan, now: dt.datetime) -> bool:
    try:
        return plan.scheduled is not None and cron.next_time(plan.schedule, plan.scheduled) <= now
    except ValueError as e:
        logger.warning("Maintenance %s is not done on schedule: %s", plan.pk, e)
        return False
