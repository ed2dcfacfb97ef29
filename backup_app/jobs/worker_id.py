"""The names of processes at work, by which others see whether they still run."""

import os
import socket
from pathlib import Path

PROC = Path("/proc")
START_TIME = 19  # of the fields after the command's name, counted from 0


def this_worker(role: str = "") -> str:
    """Return the name of this process: ``host:pid:start time``, and the role if there is one.

    A process number is used again, but not with the same start time.
    """
    pid = os.getpid()
    return f"{_host()}:{pid}:{_started(pid)}" + (f":{role}" if role else "")


def is_gone(worker: str) -> bool:
    """Say whether a worker of this host no longer runs; of another host that is never known."""
    host, pid, started = [*worker.split(":"), "", ""][:3]
    return host == _host() and pid.isdigit() and started != _started(int(pid))


def host_of(worker: str) -> str:
    """Return the name of the host that a worker runs on."""
    return worker.partition(":")[0].partition("/")[0]


def _host():
    # Containers may share a host name; what they do not share is the space of process numbers.
    try:
        space = (PROC / "self/ns/pid").readlink().name.strip("pid:[]")
    except OSError:
        space = ""
    return f"{socket.gethostname().replace(':', '-')}/{space}".rstrip("/")


def _started(pid):
    """Return when a process started, by the kernel's clock; None when there is no such process."""
    if not PROC.joinpath("self/stat").exists():
        return _is_there(pid)
    try:
        stat = (PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in "ZX" else fields[START_TIME]


def _is_there(pid):
    # Systems without /proc: a number that is used again counts as the same process.
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return "0"
