"""Programs that feed and are fed through pipes, without ever waiting for long."""

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import time
from collections import deque
from collections.abc import Sequence

from ....exceptions import EngineError, EngineUnreachable
from ...base import Tick, no_tick

BLOCK = 1024 * 1024
SECOND = 1000  # milliseconds, as poll() counts
MAX_LINES = 10_000  # of the standard error output that are kept
MAX_LINE = 10_000
LAST_LINES = 5  # that a message has
MAX_BLOCKS = 16  # of it in a row: who writes without end does not keep us from the rest


class Process:
    """A program at work, killed with all of its children when the ``with`` block is left.

    ``tick`` is called at least every second while something is waited for; what it raises ends
    the wait. What the program writes to its standard error output is collected meanwhile.
    """

    def __init__(
        self,
        argv: Sequence[str | bytes],
        *,
        stdin=subprocess.DEVNULL,
        tick: Tick = no_tick,
        unreachable: str = "",
    ):
        """``stdin`` is as of Popen; ``unreachable`` says what exit code 255 means, if anything."""
        self.name = os.fsdecode(argv[0])
        self.tick = tick
        self._unreachable = unreachable
        self._lines: deque[bytes] = deque()
        self._last: deque[bytes] = deque(maxlen=LAST_LINES)
        self._lines_lost = 0
        self._rest = b""
        try:
            self._popen = subprocess.Popen(  # noqa: S603
                argv,
                stdin=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                cwd="/",
                env=environment(),
                start_new_session=True,
            )
        except FileNotFoundError as e:
            raise EngineError(f"There is no program '{self.name}' on this machine.") from e
        except OSError as e:
            raise EngineError(f"'{self.name}' cannot be started: {e.strerror}.") from e
        self._stdout, self._stderr = self._popen.stdout.fileno(), self._popen.stderr.fileno()
        self._stderr_open = True
        with contextlib.suppress(PermissionError):  # beyond what a user may have in all pipes
            fcntl.fcntl(self._stdout, fcntl.F_SETPIPE_SZ, BLOCK)
        os.set_blocking(self._stderr, False)
        if self._popen.stdin:
            os.set_blocking(self._popen.stdin.fileno(), False)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.kill()

    def read(self, size: int = BLOCK) -> bytes:
        """Return the next bytes of the standard output, at most ``size``; b"" at its end."""
        while not self._ready(self._stdout, select.POLLIN):
            pass
        return os.read(self._stdout, size)

    def read_all(self, limit: int) -> bytes:
        """Return the whole standard output; raises EngineError if it is longer than ``limit``."""
        blocks, size = [], 0
        while block := self.read():
            size += len(block)
            if size > limit:
                raise EngineError(f"'{self.name}' printed more than {limit} bytes.")
            blocks.append(block)
        return b"".join(blocks)

    def write(self, data: bytes | memoryview) -> None:
        """Write all of the data to the standard input, for ``stdin=PIPE``.

        Raises EngineError if the program no longer reads.
        """
        fd, rest = self._popen.stdin.fileno(), memoryview(data)
        while rest:
            if not self._ready(fd, select.POLLOUT):
                continue
            try:
                rest = rest[os.write(fd, rest) :]
            except BlockingIOError:
                continue
            except BrokenPipeError as e:
                raise EngineError(f"'{self.name}' ended too early. {self.complaint()}") from e

    def end_input(self) -> None:
        """Close the standard input, so that the program sees its end."""
        with contextlib.suppress(BrokenPipeError):
            self._popen.stdin.close()

    def close(self) -> int:
        """Wait until the program ends and return its exit code, negative for a signal.

        What is left of its output is thrown away. Raises EngineUnreachable if that is what the
        exit code means.
        """
        while self._ready(self._stdout, select.POLLIN) is False or os.read(self._stdout, BLOCK):
            pass
        while self._stderr_open:
            self._ready(None, 0)
        while self._popen.poll() is None:
            self.tick()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(0.2)
        if self._popen.returncode == 255 and self._unreachable:
            raise EngineUnreachable(f"{self._unreachable} {self.complaint()}".rstrip())
        return self._popen.returncode

    def check(self) -> None:
        """Close, and raise EngineError with the program's words unless it ended well."""
        if code := self.close():
            raise EngineError(f"'{self.name}' failed ({code}). {self.complaint()}".rstrip())

    def take_lines(self) -> list[str]:
        """Return the complete lines of the standard error output since the last call."""
        lines = [line.decode(errors="backslashreplace") for line in self._lines]
        self._lines.clear()
        if self._lines_lost:
            lines.append(f"{self.name}: {self._lines_lost} more lines were left out.")
            self._lines_lost = 0
        return lines

    def complaint(self) -> str:
        """Return the last lines of the standard error output, for a message."""
        self._drain()
        # Also those that were taken: whether they were depends on when they came.
        last = [*self._last, self._rest][-LAST_LINES:]
        return b" ".join(line.strip() for line in last).decode(errors="replace").strip()[:500]

    def kill(self) -> None:
        """End the program and its children at once, if it still runs, and free its pipes."""
        if self._popen.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._popen.pid, signal.SIGKILL)
            self._popen.wait()
        for stream in (self._popen.stdin, self._popen.stdout, self._popen.stderr):
            if stream:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _ready(self, fd: int | None, event: int) -> bool:
        """Wait at most a second for the event; collect standard error output meanwhile."""
        poll = select.poll()
        if fd is not None:
            poll.register(fd, event)
        if self._stderr_open:
            poll.register(self._stderr, select.POLLIN)
        found = {ready for ready, _ in poll.poll(SECOND)}
        if self._stderr in found:
            self._drain()
        self.tick()
        return fd in found

    def _drain(self) -> None:
        for _ in range(MAX_BLOCKS):
            if not self._stderr_open:
                return
            try:
                block = os.read(self._stderr, 65536)
            except BlockingIOError:
                return
            self._stderr_open = bool(block)
            *lines, self._rest = (self._rest + (block or b"\n")).split(b"\n")
            self._rest = self._rest[:MAX_LINE]
            self._keep(line[:MAX_LINE] for line in lines if line)

    def _keep(self, lines) -> None:
        for line in lines:
            self._last.append(line)
            if len(self._lines) < MAX_LINES:
                self._lines.append(line)
            else:
                self._lines_lost += 1


def environment() -> dict[str, str]:
    """Return the variables of a program: messages in English, nothing of our own settings."""
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return kept | {"LC_ALL": "C.UTF-8"}


def time_limit(seconds: float, error: EngineError) -> Tick:
    """Return a ``tick`` that raises the error after so many seconds."""
    end = time.monotonic() + seconds

    def tick():
        if time.monotonic() > end:
            raise error

    return tick
