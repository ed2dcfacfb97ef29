"""Copying and emptying whole folders by the system's own tools, which know any depth."""

import os
import subprocess
from collections.abc import Callable, Sequence

POLL_SECONDS = 0.5


def copy_tree(source_fd: int, name: bytes, target_fd: int, tick: Callable[[], None]) -> None:
    """Copy an open folder with all that it has, as ``name`` in another; raises OSError."""
    target = b"/proc/self/fd/%d/%b" % (target_fd, name)
    argv = [b"cp", b"-a", b"-T", b"--", b"/proc/self/fd/%d/." % source_fd, target]
    _run(argv, [source_fd, target_fd], tick)


def empty_folder(fd: int) -> None:
    """Remove all below an open folder, nothing of which is followed; OSError if something stays."""
    path = b"/proc/self/fd/%d/" % fd
    _run([b"find", path, b"-xdev", b"-mindepth", b"1", b"-delete"], [fd], lambda: None)


def drop_special_modes(fd: int, tick: Callable[[], None]) -> None:
    """Take set-user-ID and set-group-ID from all files below an open folder; raises OSError."""
    path = b"/proc/self/fd/%d/" % fd
    chmod = [b"-exec", b"chmod", b"ug-s", b"--", b"{}", b"+"]
    _run([b"find", path, b"-xdev", b"-type", b"f", b"-perm", b"/6000", *chmod], [fd], tick)


def _run(argv: Sequence[bytes], fds: Sequence[int], tick: Callable[[], None]) -> None:
    with _started(argv, fds) as process:
        try:
            words = _wait(process, tick)
        except BaseException:
            process.kill()
            raise
    if process.returncode != 0:
        raise OSError(None, words.decode(errors="replace").strip()[-500:] or f"{argv[0]!r} failed")


def _started(argv, fds):
    environment = os.environb | {b"LC_ALL": b"C"}
    try:
        return subprocess.Popen(  # noqa: S603 - a list of our own making
            argv, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, pass_fds=fds, env=environment
        )
    except FileNotFoundError as e:
        # Of no class for which callers look: it is no file of theirs that is missing.
        raise OSError(None, f"there is no program '{os.fsdecode(argv[0])}'") from e


def _wait(process, tick):
    while True:
        try:
            return process.communicate(timeout=POLL_SECONDS)[1]
        except subprocess.TimeoutExpired:
            tick()
