"""Names of worker processes, from which others can tell whether they are still running."""

import errno
import os
import socket
from pathlib import Path

PROC = Path("/proc")
START_TIME = 19  # index after the command's name: field 22 in proc_pid_stat(5)


def this_worker(role: str = "") -> str:
    """Return the name of this process: ``host:pid:start time``, and the role if there is one.

    The start time tells it from a later process with the same number.
    """
    pid = os.getpid()
    return f"{_host()}:{pid}:{_started(pid)}" + (f":{role}" if role else "")


def is_gone(worker: str) -> bool:
    """Return whether a process of this host no longer runs; False for one of another host."""
    host, pid, started = [*worker.split(":"), "", ""][:3]
    return host == _host() and pid.isdigit() and started != _started(int(pid))


def host_of(worker: str) -> str:
    """Return the name of the host that a worker runs on."""
    return worker.partition(":")[0].partition("/")[0]


def _host() -> str:
    # Containers may share a host name, but each has its own namespace of process numbers.
    try:
        space = (PROC / "self/ns/pid").readlink().name.strip("pid:[]")
    except OSError:
        space = ""
    return f"{socket.gethostname().replace(':', '-')}/{space}".rstrip("/")


def _started(pid: int) -> str | None:
    """Return when a process started, in ticks since boot; None if there is no such process."""
    if not PROC.joinpath("self/stat").exists():
        return _pid_exists(pid)
    try:
        stat = (PROC / str(pid) / "stat").read_text(errors="replace")
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    # Zombie and dead processes are still listed.
    return None if fields[0] in "ZX" else fields[START_TIME]


def _pid_exists(pid: int) -> str | None:
    # Without /proc a later process with the same number cannot be told apart.
    try:
        os.kill(pid, 0)
    except OSError as e:
        return "0" if e.errno == errno.EPERM else None
    return "0"
