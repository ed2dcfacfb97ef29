"""The calendar as an operator starts it, and the floor, each with one worker."""

import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from tests.config.support.server import serving

from .client import fetch, request


class Server:
    """A port, and the process that answers there."""

    def __init__(self, port: int, pid: int):
        self.port, self.pid = port, pid

    def processor(self) -> float:
        """Return the seconds of the processor that the process has had, in all of its threads."""
        return time.clock_gettime(~self.pid << 3 | 2)  # the clock's ID, as clock_getcpuclockid()


@contextmanager
def service(store, **variables):
    """Yield a Server: ``manage.py serve`` with one web worker, with its logs and other workers."""
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(folder, DATABASE_URL=store.url, **variables) as started,
    ):
        yield Server(started.port, _web_worker(started.process.pid))


@contextmanager
def floor(store):
    """Yield a Server that runs the floor on the same database."""
    listener = socket.create_server(("127.0.0.1", 0))
    descriptor, port = listener.fileno(), listener.getsockname()[1]
    command = [sys.executable, "-m", "benchmarks.calendar.floor", str(descriptor), store.url]
    with listener, subprocess.Popen(command, pass_fds=[descriptor]) as process:  # noqa: S603
        try:
            fetch(port, request("/calendar/events/v1/venues"))  # it listens before it runs
            yield Server(port, process.pid)
        finally:
            process.terminate()


def _web_worker(pid: int) -> int:
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    [worker] = [child for child in children if "web" in Path(f"/proc/{child}/comm").read_text()]
    return int(worker)
