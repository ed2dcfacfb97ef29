"""Carrying out a run in a task, once, whatever becomes of the workers."""

import datetime as dt
import logging

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from ...alerts import maintenance as alerts
from ...conf import conf
from ...exceptions import BackupError, InvalidEngine
from ...lib.formatting import storable
from ...lib.tasks import task
from ...models import MaintenanceRun
from ..worker_id import is_gone, this_worker
from . import tasks
from .outcome import Outcome

Status = MaintenanceRun.Status
LOST = dt.timedelta(minutes=10)  # after which the task of a run may be lost
KEPT = 100  # problems of a run, and runs of a plan
UNEXPECTED = "It failed unexpectedly. The server's log says why."
logger = logging.getLogger(__name__)


@task()
def carry_out(run_id: int) -> None:
    """Carry out a queued run, or one whose worker died: each task can be done again."""
    run = MaintenanceRun.objects.filter(pk=run_id).select_related(
        "plan__pool__account", "plan__storage__zone"
    )
    found = run.first()
    if found and _claim(found):
        status, outcome = _done(found)
        _end(found, status, outcome)


def enqueue(run_id: int) -> None:
    """Add the task that carries out a run."""
    carry_out.using(queue_name=conf.QUEUE).enqueue(run_id)


def revive() -> int:
    """Add a task for each open run whose task or worker seems to be lost; return how many."""
    now = timezone.now()
    old = MaintenanceRun.objects.filter(
        status__in=[Status.QUEUED, Status.RUNNING], seen__lt=now - LOST
    )
    lost = [run for run in old if run.status == Status.QUEUED or is_gone(run.worker)]
    for run in lost:
        if MaintenanceRun.objects.filter(pk=run.pk, seen=run.seen).update(seen=now):
            enqueue(run.pk)
    return len(lost)


def _claim(run: MaintenanceRun) -> bool:
    is_free = run.status == Status.QUEUED or (run.status == Status.RUNNING and is_gone(run.worker))
    same = MaintenanceRun.objects.filter(pk=run.pk, status=run.status, worker=run.worker)
    now = timezone.now()
    mine = {"status": Status.RUNNING, "worker": this_worker(), "started": now, "seen": now}
    return is_free and same.update(**mine) == 1


def _done(run: MaintenanceRun) -> tuple[str, Outcome]:
    try:
        outcome = tasks.TASKS[run.plan.task](run.plan)
    except (BackupError, InvalidEngine, OSError) as e:
        return Status.FAILED, Outcome(str(e))
    except Exception:
        logger.exception("Maintenance %s failed.", run.plan_id)
        return Status.FAILED, Outcome(UNEXPECTED)
    return (Status.PROBLEMS if outcome.problems else Status.COMPLETED), outcome


@transaction.atomic
def _end(run: MaintenanceRun, status: str, outcome: Outcome) -> None:
    run.status, run.ended = status, timezone.now()
    run.message = storable(outcome.message)[:1000]
    run.problems = [storable(problem) for problem in outcome.problems[:KEPT]]
    run.save(update_fields=["status", "ended", "message", "problems"])
    alerts.notice(run)
    old = MaintenanceRun.objects.filter(plan=run.plan_id).order_by("-pk")
    last = old.values_list("pk", flat=True)[KEPT : KEPT + 1]
    MaintenanceRun.objects.filter(Q(plan=run.plan_id) & Q(pk__lte=next(iter(last), 0))).delete()
