"""Restoring to another machine, over SSH."""

import contextlib
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ....exceptions import Canceled, EngineError
from ....lib import paths
from ....lib.paths import shown
from ....models import Job
from ...previews import Existing
from ...values import Tick, no_tick
from ..transport.machines import SshMachine
from ..transport.process import Argv, Process, time_limit
from ..transport.shell import CANNOT_ENTER
from .plan import RestorePlan
from .remote_scripts import ALL, DROP, FILES, FINISH, MAKE, PLACE, REMOVE
from .remote_statuses import RemoteStatuses
from .staging import NAME, Staging, is_left, new_name, noted

# Limits on memory: a client may print without end.
MAX_OUTPUT = 64 * 1024 * 1024  # bytes of a script's output
SETTLE_SECONDS = 10  # for a canceled restore to learn which folder it has made
MAX_FIELD = 64 * 1024  # bytes of a field: a letter and a path
# How mv treats what appears in the place of a file after the restore has looked.
MOVES = {Existing.OVERWRITE: "-f", Existing.KEEP_NEWER: "-u", Existing.KEEP: "-n"}
SENTENCES = {
    b"w": "Its path leads through a symlink or a file.",
    b"e": "A folder that is not empty is in its place.",
    b"o": "It could not be placed.",
    b"k": "Something has appeared in its place, and stays.",
    b"m": "Its metadata could not be set.",
}


@dataclass
class RemoteTarget:
    """As ``LocalTarget``, with the programs of another machine; see ``remote_scripts``."""

    job: Job
    destination: bytes  # b"/" is the original location
    tick: Tick
    machine: SshMachine
    existing: Existing = Existing.OVERWRITE
    _private: bytes = b""

    @property
    def tree(self) -> bytes:
        return self._private + b"/tree"

    def require_room(self, plan: RestorePlan) -> None:
        """Accept everything: the whole machine belongs to the account."""

    @property
    def place_now(self) -> RemoteStatuses:
        """What is there now."""
        return RemoteStatuses(self.machine, self.destination, self.tick)

    @contextlib.contextmanager
    def private_folder(self, plan: RestorePlan, work: Path) -> Iterator[None]:
        """Make a private folder with an empty ``tree`` in it, for as long as the block runs."""
        name = new_name(self.job.pk)
        argv: Argv = ["sh", "-c", MAKE, "sh", self._anchor(plan), name]
        with self.machine.start(argv, stdin=subprocess.PIPE, tick=self.tick) as holder:
            parent, *others = self._made(holder, name)
            for other in filter(is_left, others):
                remove(self.machine, b"%b/%b" % (parent, other))
            self._private = b"%b/%b" % (parent, name)
            Staging(self.job.pk, work).note(parent=parent, name=name)
            try:
                yield
            except BaseException:
                with contextlib.suppress(EngineError):
                    _release(holder)
                raise
            else:
                _release(holder)
            finally:
                remove(self.machine, self._private)

    def drop(self, helping: Iterable[bytes], plan: RestorePlan) -> None:
        """Remove the targets that only helped, and folders that only lead to them."""
        files, folders = list(helping), set()
        for path in files:
            folder, _ = paths.split(path)
            while folder != paths.ROOT and not plan.has(folder):
                folders.add(folder)
                folder, _ = paths.split(folder)
        ordered = files + sorted(folders, key=len, reverse=True)
        self._feed(ordered, "sh", "-c", DROP, "sh", self._private)

    def place(self, passed: Iterable[bytes], refuse: Callable[[bytes, str], None]) -> int:
        """Move everything to its place; return how many names were moved, at least."""
        base = self.destination.rstrip(b"/")
        self._pass(passed, base)
        placed = 0
        for word in self._place_all(base):
            code, path = word[:1], word[1:]
            if code == b"+":
                placed += 1
            elif code in SENTENCES:
                refuse(path, SENTENCES[code])
            else:
                raise EngineError(f"The client printed something invalid: {word[:100]!r}.")
        return placed

    def _made(self, holder: Process, name: bytes) -> list[bytes]:
        """Return what MAKE prints; a folder that it makes while the job is canceled is removed."""
        printed = bytearray()
        try:
            return _read_made(holder, printed)
        except Canceled:
            slow = EngineError("The client did not report where it created the folder.")
            holder.tick = time_limit(SETTLE_SECONDS, slow)
            with contextlib.suppress(EngineError):
                parent, *_ = _read_made(holder, printed)
                remove(self.machine, b"%b/%b" % (parent, name))
            raise

    def _anchor(self, plan: RestorePlan) -> bytes:
        if self.destination != paths.ROOT:
            return self.destination
        path, _ = next(plan.placed())
        return paths.split(path)[0]

    def _pass(self, passed: Iterable[bytes], base: bytes) -> None:
        names = [path.strip(b"/") for path in passed]
        if base or b"" in names:
            names.append(b"../passed.root")
        inside = 'cd "$1/passed" && shift && mkdir -p -- "$@"'
        self._feed([b"./" + name for name in names], "sh", "-c", inside, "sh", self._private)

    def _place_all(self, base: bytes) -> Iterator[bytes]:
        scripts = PLACE, FILES, FINISH, MOVES[self.existing]
        argv: Argv = ["sh", "-c", ALL, "sh", self._private, base, *scripts]
        with self.machine.start(argv, tick=self.tick) as process:
            yield from _split(process)
            code = process.close()
        if code == CANNOT_ENTER:
            raise EngineError(
                f"The destination '{shown(self.destination)}' leads through a symlink or something"
                " that is not a folder."
            )
        if code:
            raise EngineError(f"Not everything could be placed. {process.complaint()}")

    def _feed(self, arguments: list[bytes], *argv: str | bytes) -> None:
        """Run a program with these arguments, in as many calls as they need (xargs)."""
        if not arguments:
            return
        run: Argv = ["xargs", "-0", "-r", *argv]
        with self.machine.start(run, stdin=subprocess.PIPE, tick=self.tick) as process:
            process.write(b"".join(argument + b"\0" for argument in arguments))
            process.end_input()
            process.check()


def _read_made(holder: Process, printed: bytearray) -> list[bytes]:
    """Return what MAKE prints, of which ``printed`` was read before."""
    while not printed.endswith(b"\0.\0"):
        block = holder.read()
        printed += block
        if not block or len(printed) > MAX_OUTPUT:
            holder.check()
            raise EngineError(
                "The client did not report where it created the folder for the restore."
            )
    return bytes(printed).split(b"\0")[:-2]


def _release(holder: Process) -> None:
    """Have the private folder emptied; raises EngineError if that may have happened too early."""
    holder.tick = no_tick
    holder.end_input()
    holder.check()


def remove(machine: SshMachine, private: bytes, tick: Tick = no_tick) -> None:
    """Remove a private folder; if the machine is unreachable, its next restore tries again."""
    argv: Argv = ["sh", "-c", REMOVE, "sh", private]
    with contextlib.suppress(EngineError), machine.start(argv, tick=tick) as process:
        process.read_all(MAX_OUTPUT)
        process.close()


def remove_noted(machine: SshMachine, work: Path) -> None:
    """Remove the private folders that a killed restore left on another machine."""
    for place in noted(work):
        if "root" not in place and NAME.fullmatch(place["name"]):
            remove(machine, b"%b/%b" % (place["parent"], place["name"]))


def _split(process: Process) -> Iterator[bytes]:
    rest = b""
    while block := process.read():
        *words, rest = (rest + block).split(b"\0")
        yield from words
        if len(rest) > MAX_FIELD:
            raise EngineError(
                f"The client printed a field of more than {MAX_FIELD} bytes: {rest[:100]!r}…"
            )
