"""The things that can be done on a schedule. Each may be repeated."""

from collections.abc import Callable

from django.db.models import Max, Q

from ...engines import get_engine
from ...exceptions import BackupError
from ...lib.formatting import counted, size
from ...models import Client, Job, MaintenancePlan, Pool
from .. import control, retention
from . import rotation
from .outcome import Outcome

Task = MaintenancePlan.Task
BY = "schedule"


def prune(plan: MaintenancePlan) -> Outcome:
    """Remove the expired backups of a pool, as ``manage.py prune`` does."""
    pool = _pool(plan)
    clients = Client.objects.filter(Q(pool=pool) | Q(jobs__pool=pool)).distinct()
    found = list(retention.prune(clients.select_related("pool", "zone"), pool=pool))
    removed = [each for each in found if not each.problem]
    freed = sum(each.stored_bytes for each in removed)
    problems = [each.problem for each in found if each.problem]
    return Outcome(f"Removed {counted(len(removed), 'job')}, {size(freed)}.", problems)


def verify(plan: MaintenancePlan) -> Outcome:
    """Start to read the backups of a pool whose turn it is."""
    turn = rotation.next_turn(_pool(plan), plan.schedule, plan.days)
    problems = _start(lambda job: control.start_verify(job, BY), turn.backups)
    started = counted(len(turn.backups) - len(problems), "verification")
    return Outcome(f"Started {started} of {counted(turn.total, 'backup')}.", problems)


def test(plan: MaintenancePlan) -> Outcome:
    """Start a restore test of the newest backup of each client in a pool."""
    newest = Job.objects.backups().good().filter(pool=plan.pool, client__deleted=None)
    pks = newest.order_by().values("client").annotate(newest=Max("pk")).values("newest")
    backups = list(Job.objects.filter(pk__in=pks).select_related("client").order_by("pk"))
    can = [job for job in backups if get_engine(job.engine).supports_restore_tests]
    problems = _start(lambda job: control.start_restore_test(job, plan.files, BY), can)
    left = len(backups) - len(can)
    note = f" The engine cannot test {counted(left, 'other')}." if left else ""
    return Outcome(f"Started {counted(len(can) - len(problems), 'restore test')}.{note}", problems)


def check(plan: MaintenancePlan) -> Outcome:
    """Compare the volumes of a storage with the catalog, as ``manage.py check_storage`` does."""
    if plan.storage is None:
        raise BackupError("This check is of no storage.")
    found = get_engine(plan.storage.zone.engine).check_storage(plan.storage)
    problems = [f"{problem.path}: {problem.message}" for problem in found]
    return Outcome(f"Found {counted(len(problems), 'problem')}.", problems)


TASKS: dict[str, Callable[[MaintenancePlan], Outcome]] = {
    Task.PRUNE: prune,
    Task.VERIFY: verify,
    Task.TEST: test,
    Task.CHECK: check,
}


def _pool(plan: MaintenancePlan) -> Pool:
    if plan.pool is None:
        raise BackupError(f"This {plan.task} is of no pool.")
    return plan.pool


def _start(begin: Callable[[Job], Job], backups: list[Job]) -> list[str]:
    """Start a job for each backup; return a sentence for each that could not be."""
    problems = []
    for backup in backups:
        try:
            begin(backup)
        except BackupError as e:
            problems.append(str(e))
    return problems
