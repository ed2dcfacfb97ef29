"""The sign of life of a background worker, in the database that all hosts share."""

import logging
import socket
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager

from django.db import DatabaseError, connection, transaction
from django.db.models.functions import Now
from django_tasks_db.models import DBTaskResult

from .models import Worker

EVERY = 5  # seconds
DAY = 24 * 3600
ATTEMPTS = 3  # a task whose worker died is tried again, unless it is what kills them

logger = logging.getLogger(__name__)


@contextmanager
def beating(name: str, *, daily: Callable[[], object], often: Callable[[], object]):
    """Say every few seconds that the worker of this name lives, until the block ends.

    Do what is due ``daily`` as well, beginning now; and as often as that what is due ``often``,
    beside it, so that the heart beats however long it takes.
    """
    beat(name)
    stop = threading.Event()
    threads = [
        threading.Thread(target=_keep_beating, args=(name, stop, daily), daemon=True),
        threading.Thread(target=_keep_doing, args=(often, stop), daemon=True),
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


def _keep_beating(name: str, stop: threading.Event, daily: Callable[[], object]):
    due = 0.0
    while True:
        try:
            beat(name)
            if time.monotonic() >= due:
                daily()
                due = time.monotonic() + DAY
        except DatabaseError:
            # The next beat tries again, on a new connection.
            logger.warning("The sign of life of worker %s could not be written.", name)
            connection.close()
        if stop.wait(EVERY):
            break
    connection.close()


def _keep_doing(what: Callable[[], object], stop: threading.Event):
    while True:
        try:
            what()
        except Exception:
            logger.exception("What a worker does every %d seconds went wrong.", EVERY)
        connection.close_if_unusable_or_obsolete()
        if stop.wait(EVERY):
            break
    connection.close()
