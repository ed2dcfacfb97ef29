"""Copying and emptying folders of any depth with cp and find; Python's own functions recurse."""

import os
import subprocess
from collections.abc import Sequence

from ..values import Tick, no_tick

POLL_SECONDS = 0.5


def copy_tree(source_fd: int, name: bytes, target_fd: int, tick: Tick) -> None:
    """Copy an open folder and its content, as ``name`` in another; raises OSError."""
    target = b"/proc/self/fd/%d/%b" % (target_fd, name)
    argv = [b"cp", b"-a", b"-T", b"--", b"/proc/self/fd/%d/." % source_fd, target]
    _run(argv, [source_fd, target_fd], tick)


def empty_folder(fd: int) -> None:
    """Delete the content of an open folder, following no symlink; OSError if something stays."""
    path = b"/proc/self/fd/%d/" % fd
    _run([b"find", path, b"-xdev", b"-mindepth", b"1", b"-delete"], [fd], no_tick)


def drop_special_modes(fd: int, tick: Tick) -> None:
    """Clear set-user-ID and set-group-ID of all files below an open folder; raises OSError."""
    path = b"/proc/self/fd/%d/" % fd
    chmod = [b"-exec", b"chmod", b"ug-s", b"--", b"{}", b"+"]
    _run([b"find", path, b"-xdev", b"-type", b"f", b"-perm", b"/6000", *chmod], [fd], tick)


def _run(argv: Sequence[bytes], fds: Sequence[int], tick: Tick) -> None:
    with _started(argv, fds) as process:
        try:
            words = _wait(process, tick)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise OSError(None, words.decode(errors="replace").strip()[-500:] or f"{argv[0]!r} failed")


def _started(argv: Sequence[bytes], fds: Sequence[int]) -> subprocess.Popen[bytes]:
    environment = os.environb | {b"LC_ALL": b"C"}
    try:
        return subprocess.Popen(  # noqa: S603 - no shell, and a fixed list of arguments
            argv, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, pass_fds=fds, env=environment
        )
    except FileNotFoundError as e:
        # Not FileNotFoundError, by which callers would take one of their own files for missing.
        raise OSError(None, f"the program '{os.fsdecode(argv[0])}' is not installed") from e


def _wait(process: subprocess.Popen[bytes], tick: Tick) -> bytes:
    while True:
        try:
            return process.communicate(timeout=POLL_SECONDS)[1]
        except subprocess.TimeoutExpired:
            tick()
