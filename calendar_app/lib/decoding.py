"""Pictures read in a process of their own, one at a time, with a limit of memory and of time.

A small file can be a very large picture, and what its decoder needs beside the pixels only the
decoder knows.
"""

import json
import logging
import os
import resource
import subprocess
import sys
import threading
from contextlib import contextmanager

from . import pictures
from .pictures import FORMATS, Picture, PictureError

WAIT = 10  # seconds until the pictures of others have been read
WAITING = 2  # so that of four threads one is left to answer what needs no picture
SECONDS = 30  # of processor time for one

turn = threading.Lock()
places = threading.BoundedSemaphore(1 + WAITING)
logger = logging.getLogger(__name__)


class Busy(Exception):
    """Others have had their pictures read for too long, or are too many."""


def read(body: bytes, *, max_pixels: int, max_memory: int) -> tuple[Picture, dict[str, Picture]]:
    """Return what ``pictures.read`` returns; PictureError also when that needs too much memory.

    Raises Busy when it is not this picture's turn in time, or too many wait for theirs.
    """
    command = [sys.executable, "-P", "-m", __name__, str(max_pixels), str(max_memory)]
    try:
        with _acquired(places, 0), _acquired(turn, WAIT):
            output = _run(command, body)
    except subprocess.SubprocessError as e:
        logger.warning("%s %s", e, (e.stderr or b"").decode(errors="replace")[-1000:])
        raise PictureError("cannot be read: its decoder failed or took too long") from e
    return _unpacked(output)


def main(max_pixels: str, max_memory: str):
    """Read the picture at the standard input and write what is made of it to the output."""
    for kind, limit in ((resource.RLIMIT_DATA, int(max_memory)), (resource.RLIMIT_CPU, SECONDS)):
        resource.setrlimit(kind, (limit, limit))
    try:
        picture, copies = pictures.read(sys.stdin.buffer.read(), int(max_pixels))
    except PictureError as e:
        header, found = {"error": str(e)}, {}
    except MemoryError:
        header, found = {"error": "needs more memory than the limit"}, {}
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
def _acquired(lock, seconds):
    if not lock.acquire(timeout=seconds):
        raise Busy
    try:
        yield
    finally:
        lock.release()


def _run(command, body):
    return subprocess.run(  # noqa: S603 - our own module, no input in the command
        command,
        input=body,
        capture_output=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},  # and none of the service's secrets
        timeout=10 * SECONDS,
        check=True,
    ).stdout


def _unpacked(output):
    header, _, bodies = output.partition(b"\n")
    header = json.loads(header)
    if "error" in header:
        raise PictureError(header["error"])
    found = {}
    for name, (form, width, height, size) in header.items():
        found[name] = Picture(bodies[:size], FORMATS[form], width, height)
        bodies = bodies[size:]
    return found.pop("picture"), found


if __name__ == "__main__":
    main(*sys.argv[1:])
