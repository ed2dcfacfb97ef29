"""The sign of life of a background worker, in the database that all hosts share."""

import logging
import socket
import threading
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial

from django.db import DatabaseError, connection, transaction
from django.db.models.functions import Now
from django_tasks_db.models import DBTaskResult

from config.models import Worker

EVERY = 5  # seconds
DAY = 24 * 3600
ATTEMPTS = 3  # a task whose worker died is tried again, unless it is what kills them

logger = logging.getLogger(__name__)


@contextmanager
def beating(name: str, *, daily: Callable[[], object], often: Callable[[], object]):
    """Say every few seconds that the worker of this name lives, until the block ends.

    Beside that, so that the heart beats whatever happens there, do what is due ``daily``, beginning
    now, and every few seconds what is due ``often``.
    """
    beat(name)
    stop = threading.Event()
    routines = [(partial(beat, name), EVERY), (often, EVERY), (daily, DAY)]
    threads = [
        threading.Thread(target=_keep_doing, args=(what, every, stop), daemon=True)
        for what, every in routines
    ]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join(EVERY)
        Worker.objects.filter(name=name).delete()


def beat(name: str):
    """Note that the worker of this name lives, and take over from those that died."""
    Worker.objects.update_or_create(
        name=name, defaults={"seen": Now()}, create_defaults={"host": socket.gethostname()}
    )
    for worker in Worker.objects.lost():
        take_over(worker)


def take_over(worker: Worker):
    """Put back the tasks that a dead worker had begun, and forget the worker."""
    with transaction.atomic():
        if not Worker.objects.lost().select_for_update().filter(pk=worker.pk).exists():
            return  # another one was quicker
        for task in DBTaskResult.objects.running():
            if task.worker_ids[-1:] == [worker.pk]:
                _put_back(task)
        worker.delete()


def _put_back(task: DBTaskResult):
    attempts = len(task.worker_ids)
    logger.warning("Task %s lost its worker in attempt %d.", task.id, attempts)
    if attempts < ATTEMPTS:
        task.status = "READY"
        task.save(update_fields=["status"])
    else:
        task.set_failed(RuntimeError(f"Its worker died in each of {attempts} attempts."))


def _keep_doing(what: Callable[[], object], every: float, stop: threading.Event):
    while True:
        try:
            what()
        except DatabaseError as e:
            logger.warning("A worker failed at what it does every %g seconds: %s", every, e)
            connection.close()  # the next attempt has a new one
        except Exception:
            logger.exception("A worker failed at what it does every %g seconds.", every)
        connection.close_if_unusable_or_obsolete()
        if stop.wait(every):
            break
    connection.close()
