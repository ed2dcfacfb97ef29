"""What is at paths of another machine, as its GNU stat tells."""

import stat
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from typing import IO

from ....exceptions import EngineError
from ....lib import paths
from ....lib.paths import shown
from ...previews import Status
from ...values import Tick
from ..transport.machines import SshMachine
from ..transport.process import Argv, Process
from .statuses import KINDS, SOCKET

FORMAT = r"%f %s %.9Y %n\0"  # mode in hexadecimal, size, time of change, path
EMPTY = ["sh", "-c", 'find "$@" -maxdepth 0 -empty -print0', "sh"]
MAX_FIELD = 64 * 1024  # bytes
BLOCK = 64 * 1024
NANO = 10**9


@dataclass
class RemoteStatuses:
    """Looks at paths of a backup below a destination on another machine."""

    machine: SshMachine
    destination: bytes  # b"/" is the original location
    tick: Tick

    def statuses(self, wanted: Iterable[bytes]) -> Iterator[Status | None]:
        """See ``survey.Place``; raises EngineError if the destination leads through no folders."""
        base = self._require_folders()
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as kept:
            for path in wanted:
                full = base + path.rstrip(b"/") or paths.ROOT
                asked.write(full + b"\0")
                kept.write(full + b"\0")
            asked.seek(0)
            kept.seek(0)
            found = self._found(asked)
            here = next(found, None)
            for full in _fields(iter(partial(kept.read, BLOCK), b"")):
                is_there = here is not None and here[0] == full
                yield here[1] if here and is_there else None
                if is_there:
                    here = next(found, None)

    def empty_folders(self, wanted: Iterable[bytes]) -> set[bytes]:
        """See ``survey.Place``."""
        base = self.destination.rstrip(b"/")
        asked = {base + path: path for path in wanted}
        if not asked:
            return set()
        with tempfile.TemporaryFile() as input_file:
            input_file.write(b"".join(path + b"\0" for path in asked))
            input_file.seek(0)
            with self._started(EMPTY, input_file) as process:
                return {asked[path] for path in _fields(_output(process)) if path in asked}

    def free(self) -> int | None:
        """Return how many bytes are free in the nearest folder that is there."""
        places = [self.destination, *paths.ancestors(self.destination)]
        argv: Argv = ["stat", "--file-system", "--printf=%a %S\\n", "--", *places]
        with self.machine.start(argv, tick=self.tick) as process:
            first = process.read_all(MAX_FIELD).split(b"\n")[0].split()
            process.close()
        try:
            blocks, size = map(int, first)
        except ValueError:
            return None
        return blocks * size

    def _require_folders(self) -> bytes:
        base = self.destination.rstrip(b"/")
        if not base:
            return base
        steps = [base, *paths.ancestors(base)]
        with tempfile.TemporaryFile() as asked:
            asked.write(b"".join(path + b"\0" for path in reversed(steps)))
            asked.seek(0)
            for _, status in self._found(asked):
                if status.kind != "d":
                    raise EngineError(
                        f"The destination '{shown(self.destination)}' leads through a symlink or"
                        " something that is not a folder."
                    )
        return base

    def _found(self, asked: IO[bytes]) -> Iterator[tuple[bytes, Status]]:
        with self._started(["stat", f"--printf={FORMAT}", "--"], asked) as process:
            for line in _fields(_output(process)):
                yield _parsed(line)
            process.close()  # stat has complained of each path that is missing

    def _started(self, argv: list[str], asked: IO[bytes]) -> Process:
        """Start a program with the paths in a file as arguments, in as many calls as needed."""
        return self.machine.start(["xargs", "-0", "-r", *argv], stdin=asked, tick=self.tick)


def _parsed(line: bytes) -> tuple[bytes, Status]:
    try:
        mode, size, time, path = line.split(b" ", 3)
        kind = KINDS.get(stat.S_IFMT(int(mode, 16)), SOCKET)
        return path, Status(kind, int(size), int(Decimal(time.decode("ascii")) * NANO))
    except (ValueError, InvalidOperation) as e:
        raise EngineError(f"The client printed something invalid: {line[:100]!r}.") from e


def _output(process: Process) -> Iterator[bytes]:
    while block := process.read():
        yield block


def _fields(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield what ends with a NUL."""
    rest = b""
    for block in blocks:
        *fields, rest = (rest + block).split(b"\0")
        yield from fields
        if len(rest) > MAX_FIELD:
            raise EngineError(f"The client printed a field of more than {MAX_FIELD} bytes.")
