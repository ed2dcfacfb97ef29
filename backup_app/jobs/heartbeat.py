"""Signs of life of background workers, and recovery from those that died.

While a worker runs, threads of it renew its row in the database, put back the tasks of dead workers
and do the periodic work. A worker command can wrap itself in ``beating``. In any other one, such as
``db_worker``, the first task starts the threads; and since a worker that replaces a dead one may
find no task, ``wake`` always waits in the queue, put off for as long as any worker gives signs of
life.
"""

import atexit
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

from django.db import DatabaseError, connection, connections, transaction
from django.db.models.functions import Now
from django.utils import timezone
from django_tasks_db.backend import DatabaseBackend, TaskResult
from django_tasks_db.models import DBTaskResult

from ..conf import conf
from ..lib.tasks import task
from ..models import Worker
from . import periodic, resume
from .worker_id import is_gone, this_worker

EVERY = 5  # seconds, far less than BACKUP_JOB_LOST_SECONDS
DAY = 24 * 3600
WAKE_AFTER = timedelta(seconds=30)  # without a heartbeat of any worker; several times EVERY
ATTEMPTS = 3  # a task that kills its workers must not be repeated for ever
OWN_TASKS = "backup_app."  # tasks of other apps may not be repeatable

_is_beating = threading.Event()
logger = logging.getLogger(__name__)


@contextmanager
def beating(
    name: str, *, tasks: str = OWN_TASKS, daily: Callable[[], object] = lambda: None
) -> Iterator[None]:
    """Record heartbeats of the worker of this name, and do the periodic work, in threads.

    tasks is how the paths of the tasks begin that are put back when their worker died; daily is
    called now and once a day. Each has a thread of its own, so that a slow one delays no sign of
    life.
    """
    beat(name, tasks)
    stop = threading.Event()
    routines = [
        (partial(beat, name, tasks), EVERY),
        (periodic.tick, EVERY),
        (periodic.alert, EVERY),
        (resume.Follower().look, resume.OFTEN),
        (daily, DAY),
    ]
    threads = [
        threading.Thread(target=_keep_doing, args=(what, every, stop), daemon=True)
        for what, every in routines
    ]
    for thread in threads:
        thread.start()
    _is_beating.set()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(EVERY)
        _is_beating.clear()
        Worker.objects.filter(name=name).delete()


def beat(name: str, tasks: str = OWN_TASKS) -> None:
    """Record a heartbeat of the worker of this name, and take over from those that died."""
    Worker.objects.update_or_create(
        name=name, defaults={"seen": Now()}, create_defaults={"process": this_worker()}
    )
    for worker in Worker.objects.with_silence():
        if worker.is_silent or is_gone(worker.process):
            take_over(worker, tasks)
    if conf.UPKEEP_IN_WORKERS:
        put_off_wake()


def take_over(worker: Worker, tasks: str) -> None:
    """Put back the tasks that a dead worker had begun, and delete its row."""
    with transaction.atomic():
        now = Worker.objects.select_for_update().filter(pk=worker.pk).first()
        # Not in the WHERE: SQLite's Now() has fewer decimals than a parameter.
        if now is None or now.seen != worker.seen:
            return  # another worker was quicker, or this one has a heartbeat after all
        for found in DBTaskResult.objects.running().filter(task_path__startswith=tasks):
            if found.worker_ids[-1:] == [worker.pk]:
                _put_back(found)
        worker.delete()


def _put_back(found: DBTaskResult[..., Any]) -> None:
    attempts = len(found.worker_ids)
    logger.warning("Task %s lost its worker in attempt %d.", found.id, attempts)
    if attempts < ATTEMPTS:
        found.status = "READY"
        found.save(update_fields=["status"])
    else:
        found.set_failed(RuntimeError(f"Its worker died in each of {attempts} attempts."))


def _keep_doing(what: Callable[[], object], every: float, stop: threading.Event) -> None:
    while True:
        try:
            what()
        except DatabaseError as e:
            logger.warning("The worker's step of every %g seconds failed: %s", every, e)
            connection.close()  # the next attempt has a new one
        except Exception:
            logger.exception("The worker's step of every %g seconds failed.", every)
        connection.close_if_unusable_or_obsolete()
        if stop.wait(every):
            break
    connection.close()


def beat_from_first_task(task_result: object, **kwargs: Any) -> None:
    """Start the threads in a worker whose command does not; receives ``task_started``."""
    if not isinstance(task_result, TaskResult):
        return  # of another backend, which may run tasks within requests
    if _is_beating.is_set() or not conf.UPKEEP_IN_WORKERS:
        return
    until_exit = ExitStack()
    try:
        until_exit.enter_context(beating(task_result.worker_ids[-1]))
    except DatabaseError as e:  # would fail the task; the next task tries again
        logger.warning("A worker could not record its heartbeat: %s", e)
    else:
        atexit.register(until_exit.close)


@task()
def wake() -> None:
    """Do nothing: that a task runs starts the threads."""


def put_off_wake() -> None:
    """Have one ``wake`` wait in the queue, due a while from now."""
    waiting = wake.using(queue_name=conf.QUEUE, run_after=timezone.now() + WAKE_AFTER)
    if not isinstance(waiting.get_backend(), DatabaseBackend):
        return
    queued = DBTaskResult.objects.filter(task_path=wake.module_path, status="READY")
    if not queued.update(run_after=waiting.run_after):
        waiting.enqueue()


def wake_after_migrate(using: str, **kwargs: Any) -> None:
    """Have ``wake`` wait for the very first worker; receives ``post_migrate``."""
    tables = connections[using].introspection.table_names()
    if conf.UPKEEP_IN_WORKERS and DBTaskResult._meta.db_table in tables:
        put_off_wake()
