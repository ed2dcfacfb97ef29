"""Reading a client's files: its ``tar`` packs them, the volume and the catalog take them in."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ...exceptions import EngineError
from .catalog import CatalogWriter
from .machines import Machine
from .process import Process
from .tally import Tally
from .tarstream import CutOff, Member, TarStream
from .volumes import VolumeWriter
from .workspace import ToStore, Workspace

TAR = (
    "tar --create --format=posix --pax-option=delete=atime --no-recursion"
    " --xattrs --xattrs-include=* --acls --sparse --blocking-factor=512 -C / --file=-"
    " --null --no-unquote --verbatim-files-from --files-from=-"
).split()
COMPLETE = 0, 1, 2  # exit codes of a tar that wrote its end, whatever it complained of
AFTERWORD = "Exiting with failure status due to previous errors"
NAMES = 10_000  # written at once
SKEW = 60 * 1_000_000_000  # by how much the clock of a file server may be behind


def read_files(
    machine: Machine,
    workspace: Workspace,
    names: Path,
    *,
    begun: int,
    volume: VolumeWriter,
    catalog: CatalogWriter,
    tally: Tally,
) -> None:
    """Store what the workspace says and catalogue it; ``names`` is a new file to use.

    ``begun`` is when the listing began, by the machine's clock in nanoseconds. Complains of files
    that could not be read or that changed meanwhile. Raises EngineError when tar could not do its
    work, and when it was led to a file that had not been listed.
    """
    if not write_names(workspace, names):
        return
    with names.open("rb") as stdin, machine.start(TAR, stdin=stdin, tick=tally.tick) as process:
        stream = TarStream(reader(process, tally), volume.write, tally.part)
        try:
            for member, place in placed(stream, workspace.to_store()):
                require_listed(member, place, stream.ctime_ns, begun)
                catalog.add(member, place)
                tally.count(member)
        except CutOff as e:
            process.close()
            raise EngineError(f"{e} {process.complaint()}".rstrip()) from e
        code = process.close()
        report(process, tally)
        if code not in COMPLETE:
            raise EngineError(f"tar failed ({code}). {process.complaint()}".rstrip())


def write_names(workspace: Workspace, names: Path) -> bool:
    """Write the names that tar is to read, relative to the root; return whether there are any."""
    found = workspace.names()
    with names.open("xb") as file:
        while some := list(islice(found, NAMES)):
            file.write(b"\0".join([path[1:] or b"." for path in some]) + b"\0")
        return file.tell() > 0


def reader(process: Process, tally: Tally):
    """Return what reads the next bytes of tar's output, and passes on its complaints."""

    def read() -> bytes:
        report(process, tally)
        return process.read()

    return read


def report(process: Process, tally: Tally) -> None:
    """Complain of what tar complains of."""
    for line in process.take_lines():
        words = line.removeprefix("tar: ")
        if words != AFTERWORD:
            tally.complain(words)


def placed(stream: TarStream, places: Iterator[ToStore]) -> Iterator[tuple[Member, ToStore]]:
    """Yield each member with its place, of those that tar was told in the same order.

    What tar could not read it has left out. Raises EngineError for what it was not told.
    """
    for member in stream:
        for place in places:
            if place.path == member.path:
                yield member, place
                break
        else:
            path = member.path.decode(errors="replace")
            raise EngineError(f"The tar has '{path}', which was not asked for.")


def clock(machine: Machine, tally: Tally) -> int:
    """Return the time of a machine in nanoseconds, to the second."""
    with machine.start(["date", "+%s"], tick=tally.tick) as process:
        printed = process.read_all(100).strip()
        process.check()
    if not printed.isdigit():
        raise EngineError(f"date printed no time: {printed!r}.")
    return int(printed) * 1_000_000_000


def require_listed(member: Member, place: ToStore, ctime: int | None, begun: int) -> None:
    """Raise EngineError for a file that had another time of change when it was listed.

    Unless it has been changed since. Whoever owns a folder can put a symlink in its place between
    the listing and the reading, and would find a file of somebody else in the backup. What is
    behind the symlink was as a rule changed long ago, and nobody can set that time.
    """
    if ctime is not None and ctime != place.ctime and ctime < max(place.ctime, begun - SKEW):
        raise EngineError(
            f"'{member.path.decode(errors='replace')}' was another file when it was listed: has a"
            " folder on the way become a symlink? Nothing of this backup is kept."
        )
