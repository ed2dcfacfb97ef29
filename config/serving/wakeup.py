"""Wakes idle workers as soon as a task is enqueued, so that it does not wait for their next poll.

PostgreSQL notifies workers on all hosts. With SQLite they are all on this host, and each has a
named pipe in the data folder, which only its own user can write to. A worker that was not notified
still finds the task when it polls.
"""

import errno
import os
import select
import stat
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.dispatch import receiver
from django_tasks.signals import task_enqueued
from django_tasks_db import DatabaseBackend

CHANNEL = "tasks"
FOLDER = "workers"  # of the pipes
PIECE = 4096  # bytes, more than workers are woken times at once

Sleep = Callable[[float], None]


@contextmanager
def light_sleep() -> Iterator[Sleep]:
    """Yield what a worker calls in place of time.sleep: it also ends when a task is enqueued."""
    if connection.vendor == "postgresql":
        with closing(Listener()) as listener:
            yield listener.sleep
        return
    try:
        pipe = Pipe(settings.DATA_DIR / FOLDER)
    except OSError:  # not every file system has named pipes
        yield time.sleep
        return
    with closing(pipe):
        yield pipe.sleep


@receiver(task_enqueued, sender=DatabaseBackend)
def wake_workers(task_result: Any, **kwargs: Any) -> None:
    """Wake idle workers once a task that is due now can be seen by them."""
    if task_result.task.run_after is None:
        transaction.on_commit(_wake, robust=True)


def _wake() -> None:
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(f"NOTIFY {CHANNEL}")
        return
    for path in settings.DATA_DIR.joinpath(FOLDER).glob("*.pipe"):
        _write_to(path)


def _write_to(path: Path) -> None:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError as e:
        if e.errno == errno.ENXIO:  # nobody reads it: its worker was killed
            path.unlink(missing_ok=True)
        return
    try:
        if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            with suppress(BlockingIOError):  # a full pipe wakes as well
                os.write(descriptor, b"!")
    finally:
        os.close(descriptor)


class Listener:
    """A connection of its own that hears of tasks in PostgreSQL."""

    def __init__(self) -> None:
        self._connection = connection.copy()

    def sleep(self, seconds: float) -> None:
        try:
            self._sleep(seconds)
        except DatabaseError:
            self._connection.close()  # the next sleep has a new one
            time.sleep(seconds)

    def _sleep(self, seconds: float) -> None:
        if self._connection.connection is None:
            with self._connection.cursor() as cursor:
                cursor.execute(f"LISTEN {CHANNEL}")
            return  # for what was enqueued before
        with self._connection.wrap_database_errors:
            heard = self._connection.connection
            # Not psycopg's own wait, which a signal to stop would have to end.
            select.select([heard], [], [], seconds)
            for _ in heard.notifies(timeout=0):
                pass

    def close(self) -> None:
        self._connection.close()


class Pipe:
    """A named pipe that wakes one worker: whatever is written to it ends a sleep."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        self._path = folder / f"{uuid.uuid4()}.pipe"
        unready = self._path.with_suffix(".new")
        os.mkfifo(unready, 0o600)
        # For writing too: without a writer it would be at its end.
        self._descriptor = os.open(unready, os.O_RDWR | os.O_NONBLOCK)
        unready.rename(self._path)  # from now on one that nobody reads is a dead worker's

    def sleep(self, seconds: float) -> None:
        select.select([self._descriptor], [], [], seconds)
        with suppress(BlockingIOError):
            os.read(self._descriptor, PIECE)

    def close(self) -> None:
        os.close(self._descriptor)
        self._path.unlink(missing_ok=True)
