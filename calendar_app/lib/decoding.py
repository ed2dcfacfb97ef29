"""Reads pictures in a separate process, one at a time, with limits on memory and time.

A small file can decode to a very large picture, and how much memory the decoder needs besides the
pixels cannot be known beforehand. So the limit is set on a process that may be killed.
"""

import json
import logging
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore, Lock

from . import pictures
from .pictures import FORMATS, Picture, PictureError

WAIT_SECONDS = 10  # for the pictures of others
MAX_WAITING = 2  # of a server's four threads: one reads a picture, and one stays free for the rest
CPU_SECONDS = 30  # for one picture

read_lock = Lock()
queue_places = BoundedSemaphore(1 + MAX_WAITING)
logger = logging.getLogger(__name__)


class Busy(Exception):
    """Too many other pictures are being read, or they take too long."""


def read(body: bytes, *, max_pixels: int, max_memory: int) -> tuple[Picture, dict[str, Picture]]:
    """Return what ``pictures.read`` returns, using at most max_memory bytes.

    Raises PictureError, also when the limits on memory and time are exceeded, and Busy.
    """
    command = [sys.executable, "-P", "-m", __name__, str(max_pixels), str(max_memory)]
    try:
        with _acquired(queue_places, 0), _acquired(read_lock, WAIT_SECONDS):
            output = _run(command, body)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as e:
        logger.warning("%s %s", e, (e.stderr or b"").decode(errors="replace")[-1000:])
        raise PictureError("cannot be read: its decoder failed or took too long") from e
    return _unpacked(output)


def main(max_pixels: str, max_memory: str) -> None:
    """Read a picture from standard input; write a line of JSON and the files to standard output."""
    limits = {resource.RLIMIT_DATA: int(max_memory), resource.RLIMIT_CPU: CPU_SECONDS}
    for kind, limit in limits.items():
        resource.setrlimit(kind, (limit, limit))
    header: dict[str, object]
    found: dict[str, Picture] = {}
    try:
        picture, copies = pictures.read(sys.stdin.buffer.read(), int(max_pixels))
    except PictureError as e:
        header = {"error": str(e)}
    except MemoryError:
        header = {"error": "needs more memory than the limit"}
    else:
        found = {"picture": picture, **copies}
        header = {
            name: (each.format.name, each.width, each.height, len(each.body))
            for name, each in found.items()
        }
    sys.stdout.buffer.write(json.dumps(header).encode() + b"\n")
    for each in found.values():
        sys.stdout.buffer.write(each.body)


@contextmanager
def _acquired(lock: "Lock | BoundedSemaphore", seconds: float) -> Iterator[None]:
    if not lock.acquire(timeout=seconds):
        raise Busy
    try:
        yield
    finally:
        lock.release()


def _run(command: list[str], body: bytes) -> bytes:
    return subprocess.run(  # noqa: S603 - our own module, no input in the command
        command,
        input=body,
        capture_output=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},  # and none of the server's secrets
        timeout=10 * CPU_SECONDS,  # on a busy machine
        check=True,
    ).stdout


def _unpacked(output: bytes) -> tuple[Picture, dict[str, Picture]]:
    line, _, bodies = output.partition(b"\n")
    header = json.loads(line)
    if "error" in header:
        raise PictureError(header["error"])
    found = {}
    for name, (form, width, height, size) in header.items():
        found[name] = Picture(bodies[:size], FORMATS[form], width, height)
        bodies = bodies[size:]
    return found.pop("picture"), found


if __name__ == "__main__":
    main(*sys.argv[1:])
