"""Running commands as an operator does, in the tests' own process."""

import io
import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass

from django.core.management import CommandError, call_command
from django.db import connection

from backup_app.jobs import tasks
from backup_app.models import Job


@dataclass
class Ran:
    """What a command wrote, and the sentence that it failed with."""

    out: str
    err: str
    error: str | None

    @property
    def data(self):
        return json.loads(self.out)


def command(*words) -> Ran:
    """Run a command by its words."""
    out, err, error = io.StringIO(), io.StringIO(), None
    try:
        call_command(*[str(word) for word in words], stdout=out, stderr=err)
    except CommandError as e:
        error = str(e)
    return Ran(out.getvalue(), err.getvalue(), error)


@contextmanager
def worker():
    """Do queued jobs in another thread."""
    stop = threading.Event()

    def work():
        while not stop.wait(0.02):
            for pk in Job.objects.filter(status="queued").values_list("pk", flat=True):
                tasks.run_job.call(pk)
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
