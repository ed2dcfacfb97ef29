"""Programs with pipes, of which no call blocks for longer than a second."""

import contextlib
import fcntl
import os
import select
import signal
import subprocess
import time
from collections import deque
from collections.abc import Iterable, Sequence
from typing import IO, Self

from ....exceptions import EngineError, EngineUnreachable
from ...values import Tick, no_tick

BLOCK = 1024 * 1024
SECOND = 1000  # milliseconds, as poll() counts
# Limits of memory: a client's programs may write to standard error without end.
MAX_LINES = 10_000  # until take_lines
MAX_LINE = 10_000  # bytes
LAST_LINES = 5  # in an error message
MAX_BLOCKS = 16  # read in a row, so that standard output is read in between
MAX_COMPLAINT = 500  # characters, as a job's message has 1,000

Argv = Sequence[str | bytes]
Input = int | IO[bytes]  # as of Popen


class Process:
    """A running program, killed with all of its children when the ``with`` block is left.

    ``tick`` is called at least every second while a method waits; what it raises ends the wait.
    Standard error output is collected meanwhile.
    """

    def __init__(
        self,
        argv: Argv,
        *,
        stdin: Input = subprocess.DEVNULL,
        tick: Tick = no_tick,
        unreachable: str = "",
    ):
        """``unreachable`` is the message for exit code 255, by which ssh reports its own errors.

        Raises EngineError if the program cannot be started.
        """
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
            raise EngineError(f"The program '{self.name}' is not installed on this machine.") from e
        except OSError as e:
            raise EngineError(f"'{self.name}' cannot be started: {e.strerror}.") from e
        self._stdin, stdout, stderr = self._popen.stdin, self._popen.stdout, self._popen.stderr
        self._streams = [stream for stream in (self._stdin, stdout, stderr) if stream]
        self._stdout, self._stderr = (stream.fileno() for stream in self._streams[-2:])
        self._stderr_open = True
        # A larger pipe saves switches between processes; root's limit for all of a user's pipes
        # (fs.pipe-user-pages-soft) may forbid it.
        with contextlib.suppress(PermissionError):
            fcntl.fcntl(self._stdout, fcntl.F_SETPIPE_SZ, BLOCK)
            if self._stdin:
                fcntl.fcntl(self._stdin, fcntl.F_SETPIPE_SZ, BLOCK)
        os.set_blocking(self._stderr, False)
        if self._stdin:
            os.set_blocking(self._stdin.fileno(), False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.kill()

    def read(self, size: int = BLOCK) -> bytes:
        """Return the next bytes of standard output, at most ``size``; b"" at its end."""
        while not self._ready(self._stdout, select.POLLIN):
            pass
        return os.read(self._stdout, size)

    def read_all(self, limit: int) -> bytes:
        """Return the whole standard output; raises EngineError if it exceeds ``limit`` bytes."""
        blocks, size = [], 0
        while block := self.read():
            size += len(block)
            if size > limit:
                raise EngineError(f"'{self.name}' printed more than {limit} bytes.")
            blocks.append(block)
        return b"".join(blocks)

    def write(self, data: bytes | memoryview) -> None:
        """Write all of the data to standard input; needs ``stdin=PIPE``.

        Raises EngineError if the program no longer reads.
        """
        if self._stdin is None:
            raise ValueError(f"'{self.name}' was started without a pipe to write to.")
        fd, rest = self._stdin.fileno(), memoryview(data)
        while rest:
            if not self._ready(fd, select.POLLOUT):
                continue
            try:
                rest = rest[os.write(fd, rest) :]
            except BrokenPipeError as e:
                raise EngineError(f"'{self.name}' ended too early. {self.complaint()}") from e

    def end_input(self) -> None:
        """Close standard input, so that the program sees its end."""
        if self._stdin:
            with contextlib.suppress(BrokenPipeError):
                self._stdin.close()

    def close(self) -> int:
        """Wait until the program ends and return its exit code, negative for a signal.

        The rest of its output is discarded. Raises EngineUnreachable for exit code 255 if
        ``unreachable`` is set.
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
        """Close, and raise EngineError with the program's message unless it succeeded."""
        if code := self.close():
            raise EngineError(f"'{self.name}' failed ({code}). {self.complaint()}".rstrip())

    def take_lines(self) -> list[str]:
        """Return the complete lines of standard error output since the last call."""
        lines = [line.decode(errors="backslashreplace") for line in self._lines]
        self._lines.clear()
        if self._lines_lost:
            lines.append(f"{self.name}: {self._lines_lost} more lines were left out.")
            self._lines_lost = 0
        return lines

    def complaint(self) -> str:
        """Return the last lines of standard error output, for an error message."""
        self._drain()
        # Including those that take_lines returned, which depends on when they arrived.
        last = [*self._last, self._rest][-LAST_LINES:]
        return (
            b" ".join(line.strip() for line in last)
            .decode(errors="replace")
            .strip()[:MAX_COMPLAINT]
        )

    def kill(self) -> None:
        """End the program and its children at once, if it still runs, and close its pipes."""
        if self._popen.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._popen.pid, signal.SIGKILL)
            self._popen.wait()
        for stream in self._streams:
            with contextlib.suppress(BrokenPipeError):
                stream.close()

    def _ready(self, fd: int | None, event: int) -> bool:
        """Wait at most a second for an event; collect standard error output meanwhile."""
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

    def _keep(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self._last.append(line)
            if len(self._lines) < MAX_LINES:
                self._lines.append(line)
            else:
                self._lines_lost += 1


def environment() -> dict[str, str]:
    """Return the environment of programs: messages in English, and none of our settings."""
    passed = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return passed | {"LC_ALL": "C.UTF-8"}


def time_limit(seconds: float, error: EngineError) -> Tick:
    """Return a ``tick`` that raises the error after so many seconds."""
    end = time.monotonic() + seconds

    def tick() -> None:
        if time.monotonic() > end:
            raise error

    return tick
