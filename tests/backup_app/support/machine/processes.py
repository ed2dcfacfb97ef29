"""Processes of their own that work on the test's database, and can be killed."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time

from django.conf import settings
from django.db import connection, connections

from backup_app.conf import conf

SECONDS = 60  # until a process that does not come to the point is a fault


@contextlib.contextmanager
def manage(data_dir, *words, **variables):
    """Start a command of manage.py, which is killed at the end of the block."""
    variables |= {
        "PATH": os.environ["PATH"],
        "ENV_FILE": os.devnull,
        "DATA_DIR": str(data_dir),
        "DATABASE_URL": database_url(),
        "DJANGO_SETTINGS_MODULE": "tests.backup_app.support.machine.worker_settings",
        "TEST_BACKUP_ENGINES": json.dumps(conf.engines),
        "TEST_BACKUP_LOCAL_ROOTS": ",".join(str(root) for root in conf.local_roots),
        "TEST_DATABASES": json.dumps(getattr(connections.settings, "hidden", {})),
    }
    with subprocess.Popen(
        [sys.executable, "manage.py", *words],
        env=variables,
        cwd=settings.BASE_DIR,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def run_killed(work):
    """Call a function in a process forked from this one, which must be killed while it runs."""
    pid = os.fork()
    if pid == 0:
        connection.connection = None  # the parent's; a new one is opened
        try:
            work()
        finally:
            os._exit(1)
    _, status = os.waitpid(pid, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL


def database_url():
    """Return the URL of the test's own database."""
    own = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{own['NAME']}"
    return f"postgres://{own['USER']}:{own['PASSWORD']}@{own['HOST']}:{own['PORT']}/{own['NAME']}"


def wait_for(condition, process):
    """Return what a condition says once that is true."""
    deadline = time.monotonic() + SECONDS
    while not (found := condition()):
        assert process.poll() in (None, 0), f"the process ended with {process.returncode}"
        assert time.monotonic() < deadline, f"not within {SECONDS} seconds"
        time.sleep(0.005)
    return found
